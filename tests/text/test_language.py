from __future__ import annotations

import pytest

from articlebot.text import language


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", None),
        ("😀😀 123 !!", None),
        ("中", "zh"),
        ("国家统计局公布数据", "zh"),
        ("國家統計局公佈數據", "zh"),
        ("iPhone 15 Pro Max 发布会今天举行，价格公布", "zh"),
        ("東京で新しい展覧会が開かれました", "ja"),
        ("서울에서 새로운 전시회가 열렸다", "ko"),
        ("The council has said that it will not close the library this year.", "en"),
        ("The film by 李安 was shown at the festival and it was well received by the audience.", "en"),
        ("Der Bundestag hat am Donnerstag das neue Gesetz beschlossen.", "de"),
        ("Правительство приняло новый закон в четверг", "ru"),
    ],
)
def test_language(text: str, code: str | None) -> None:
    assert language(text) == code
