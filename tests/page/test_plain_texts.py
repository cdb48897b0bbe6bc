"""Templates that compilers write in place of quoted texts."""

from __future__ import annotations

import time

import pytest

from articlebot.page.plain_texts import quoted


@pytest.mark.parametrize(
    ("script", "plain"),
    [
        ("var e=`/api/v1`,t=`a`", 'var e="/api/v1",t="a"'),
        ("fetch(`${e}${t}${n?`?${n}`:``}`,{method:`POST`})", 'fetch(`${e}${t}${n?`?${n}`:""}`,{method:"POST"})'),
        ("x=`${f({a:`b`})}c`+`d`", 'x=`${f({a:"b"})}c`+"d"'),
        ('x=`say "a"`;y=`two\nlines`;z=`\\n`;w=`u`', 'x=`say "a"`;y=`two\nlines`;z=`\\n`;w="u"'),
        # what is no template: in quotes, in an expression, in a comment
        ("a='`';b=\"`\";c=/[`/]`/.test(d)?`e`:f/2", 'a=\'`\';b="`";c=/[`/]`/.test(d)?"e":f/2'),
        ("/* don`t */a=`b`;// it`s\nc=`d`", '/* don`t */a="b";// it`s\nc="d"'),
        ("a=`never ends", "a=`never ends"),
        ("a=`b\\", "a=`b\\"),
    ],
)
def test_templates_without_anything_put_in_are_texts(script: str, plain: str) -> None:
    assert quoted(script) == plain


def test_a_bundle_of_a_megabyte_costs_little() -> None:
    began = time.process_time()
    quoted("c(`li`,{a:`${e}/x${f?`y`:``}`}),/[`]/.test(g)," * 20_000)
    assert time.process_time() - began < 5
