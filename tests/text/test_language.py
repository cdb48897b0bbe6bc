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
        ("Le gouvernement a dit que les écoles sont ouvertes et que le ministre est dans la ville.", "fr"),
        ("El gobierno ha dicho que las escuelas están abiertas y que el ministro fue a la ciudad.", "es"),
        ("O governo disse que as escolas estão abertas e que não foi a cidade, mas os alunos.", "pt"),
        ("Il governo ha detto che le scuole sono aperte e che non è il ministro della città.", "it"),
        ("De regering heeft gezegd dat de scholen niet open zijn en dat het ook werd gemeld.", "nl"),
        ("Regeringen har sagt att skolorna är öppna och att ministern inte var i staden i går.", "sv"),
        ("先配置 git config core autocrlf input pull rebase true branch autosetuprebase 再提交代码到远程仓库", "zh"),
        ("BROKERS MERGE, BROKERS SPLIT, FRANCE SEES RECOVERY, Nike gains", "en"),
        ("Правительство приняло новый закон в четверг", "ru"),
    ],
)
def test_language(text: str, code: str | None) -> None:
    assert language(text) == code
