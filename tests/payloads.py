"""What somebody might write to make a page, a spreadsheet, a terminal or a runner do something."""

RUNS = "window.__x=1"
PAYLOADS = {
    "script": f"<script>{RUNS}</script>",
    "handler": f'<img src=x onerror="{RUNS}"><svg onload="{RUNS}">',
    "end of a block": f"</script></style></title></pre></code>--><script>{RUNS}</script>",
    "end of an attribute": f'" \' onmouseover={RUNS} autofocus onfocus={RUNS} x="',
    "link": f"[a](javascript:{RUNS}) <a href=javascript:{RUNS}>b</a> https://example.org/ www.example.org",
    "template": "{{ 7*7 }} {% include 'x' %} ${7*7}",
    "markdown": "| a | **b** _c_ ~~d~~ @everyone #1 ![e](f) <!-- g",
    "terminal": "\x1b[31mred\x1b[0m \x1b]0;title\x07\x1b[2J\x08\x00\x9b31m",
    "runner": "::error file=a,line=1::b ##[error]c ::stop-commands::d",
    "runner on a line of its own": "a\n::error::b\r\n##[add-path]c\n  ::set-env name=A::d",
    "equals": "=cmd|'/c calc'!A1",
    "plus": "+1+1",
    "minus": "-2+3",
    "at": "@SUM(A1:A9)",
    "tab": "\t=1+1",
    "carriage return": "\r=1+1",
    "zero-width": "a\u200bb\u200d\u2060c\ufeff\u00add",
    "bidirectional": "\u202egnp.exe\u202c \u2066x\u2069 \u200f\u061c",
    "no text": "\udc80\ufffe\U000e0041\u2028\u2029",
}
