"""The pictures of lesson 20, drawn by `grade figures`: the two pairings of RoPE, and what a router passes on."""

from grader.authoring.figures.svg import Drawing

PAIRS = "ABCD"
PROBS = ((0.50, 0.10, 0.30, 0.10), (0.05, 0.60, 0.15, 0.20), (0.24, 0.40, 0.20, 0.16))
K = 2


def figures():
    return {"pairings.svg": pairings(), "routing.svg": routing()}


def pairings():
    drawing = Drawing(
        400,
        190,
        "The two pairings of rotary positions",
        "Eight features, twice. With neighbours as pairs their letters are A A B B C C D D. With halves as pairs they "
        "are A B C D A B C D. Features with the same letter are rotated together.",
    )
    neighbours, in_halves = "".join(letter * 2 for letter in PAIRS), PAIRS * 2
    for top, heading, letters in ((12, "neighbours", neighbours), (102, "halves", in_halves)):
        drawing.text(22, top + 12, heading, "ink bold")
        for feature, letter in enumerate(letters):
            x, is_blue = 22 + feature * 45, letter in "AC"
            fill, ink = ("blue-box blue-line", "blue") if is_blue else ("orange-box orange-line", "orange")
            drawing.rectangle(x, top + 22, 41, 30, f"{fill} thin")
            drawing.text(x + 20, top + 42, letter, f"{ink} bold", "middle")
            drawing.text(x + 20, top + 68, str(feature), "small muted", "middle")
    return drawing.svg()


def routing():
    drawing = Drawing(
        400,
        312,
        "Probabilities and shares of three tokens",
        "Above, the probabilities of four experts for each of three tokens. Below, the shares: the two largest "
        "probabilities of each token, divided by their sum, and zeros. Arrows show that a gradient goes back to the "
        "chosen probabilities only, and none through the choice.",
    )
    table(drawing, 28, "probs", PROBS)
    table(drawing, 206, "shares", [shares(row) for row in PROBS])
    drawing.line([(150, 186), (150, 132)], "blue-line thick", arrow=True)
    drawing.text(158, 156, "through the two largest of a row", "small ink")
    drawing.text(158, 172, "and their sum: a gradient", "small blue bold")
    drawing.text(22, 156, "through the choice:", "small ink")
    drawing.text(22, 172, "no gradient", "small orange bold")
    return drawing.svg()


def is_chosen(row, probability):
    return probability in sorted(row)[-K:]


def shares(row):
    total = sum(sorted(row)[-K:])
    return [probability / total if is_chosen(row, probability) else 0 for probability in row]


def table(drawing, top, name, rows):
    drawing.text(22, top - 4, name, "code ink bold")
    for expert in range(len(rows[0])):
        drawing.text(130 + expert * 68, top - 4, f"expert {expert}", "small muted", "middle")
    for token, row in enumerate(rows):
        drawing.text(22, top + 20 + token * 32, f"token {token}", "small muted")
        for expert, number in enumerate(row):
            x, y, chosen = 98 + expert * 68, top + 2 + token * 32, is_chosen(PROBS[token], PROBS[token][expert])
            drawing.rectangle(x, y, 64, 28, f"{'blue-box blue-line' if chosen else 'box edge'} thin")
            drawing.text(
                x + 32, y + 19, f"{number:.3g}", "code small ink bold" if chosen else "code small ink", "middle"
            )
