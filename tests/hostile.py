"""Text that tables may hold and that other languages would take for something else."""

from __future__ import annotations

from itertools import product

SPECIAL = tuple("*/\\?'\"%${}<>&#\n\r\t\0=-]")
CHARACTERS = (*map(chr, range(0x180)), *"\u2028\u2029\u202e\u200d\ufeff\ud800", "日", "🙂")
PAIRS = tuple("".join(pair) for pair in product(SPECIAL, repeat=2))
PHRASES = (
    "*/ x", "*\\", "/* x", "// x", "??/", "??/\n", "*??/\n/", '"""', "'''", '\\"x', '"; system("true"); "',
    "%s%n", "{0}",
    "*\\ #error from data\n/*", '"""\nimport os\n"""', "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>', "<!-- x", "--> x", "]]>", "{{ 7 * 7 }}", "{% raw %}", "${x}", "cost_$_per_$",
    "$10 - $20", "$\\frac{$", "\\$x", "col: black", "url(#a)", 'id="x"', "'DejaVu Sans', ", "[red]text[/red]",
    "[link=http://x]y[/link]", ":smile:", "\x1b]0;title\x07", "\x1b[31mred", "\x9b31m", "\u202eevil", "two\nlines",
    "\rover", "=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "__proto__", "_hidden", "\\N", "\\l", "x\\",
    "<b>bold</b>", "&amp;", "a\u2028b", "Ridge(", "null",
)  # fmt: skip
