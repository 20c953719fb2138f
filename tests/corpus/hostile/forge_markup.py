"""A message that is HTML, Markdown, a terminal's commands, a workflow's commands and half a surrogate pair."""
# group: forged frames
# rows: error
# rows of in_one_go: error
# message: <script>
# unlocked: safe

from frames import answer, send

MESSAGE = (
    "<script>document.title = 'full marks'</script>\x1b[2J\x1b]0;owned\x07\r\n::error file=x::owned\n\ud800 {{ 7 * 7 }}"
)


def dlogits(logits):
    send(answer(outcome="raised", message=MESSAGE))
    return logits
