"""Bylines as people read them, in the languages of the pages."""

# ruff: noqa: E501  markup reads best unbroken

from __future__ import annotations

import pytest

from articlebot.extraction.cascade import extract
from articlebot.extraction.fields.authors import authors_of
from articlebot.extraction.fields.byline_labels import names_in_line
from articlebot.extraction.fields.info_line import is_byline, says_when
from articlebot.extraction.fields.person_names import split_names
from articlebot.extraction.fields.sources import source_of
from articlebot.extraction.generic.body import without_bylines
from articlebot.page import Page

PARAGRAPH = (
    "The council voted on Tuesday to close the bridge for repairs, which will take until the autumn of next year."
)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("By Ann Lee and Bo Li, Staff Writers", ["Ann Lee", "Bo Li"]),
        # a family's name that begins with an article, and what follows a name
        ("Par Claire Le Bihan avec AFP", ["Claire Le Bihan"]),
        ("Par Claire Petit le 27 novembre", ["Claire Petit"]),
        ("Door onze verslaggever Jan van der Velde", ["Jan van der Velde"]),
        ("Von unserem Korrespondenten Jan Groß", ["Jan Groß"]),
        ("oprac. Marek Nowak", ["Marek Nowak"]),
        ("Sexta-feira, 27 de novembro de 2026 às 14h05 - Por: Rui Tavares Costa", ["Rui Tavares Costa"]),
        ("May 3, 2017 By Erin Spain 4 Comments", ["Erin Spain"]),
        ("06.11.2026, 12:30 Uhr, von Lena Fischer", ["Lena Fischer"]),
        ("2026-11-06 12:30, by Ann Lee", ["Ann Lee"]),
        ("Im Jahr 2024, von der Stadt gefördert, begann der Bau", []),
        ("Posted by David at December 16, 2025 11:15 AM", ["David"]),
        ("ByDaryl Austin", ["Daryl Austin"]),
        ("Text by Hunter Dukes", ["Hunter Dukes"]),
        ("Author of the article: Ann Lee", ["Ann Lee"]),
        ("by whova | Apr 21, 2025", ["whova"]),
        ("Words by Leo Amrein , graphics by Sara Funk", ["Leo Amrein"]),
        ("كتب: سامي الحداد ١٣ نوفمبر ٢٠٢٥", ["سامي الحداد"]),
        ("מאת: דנה לוי", ["דנה לוי"]),
        ("By 1950 it had drawn back. A path was built, then a bridge, then a second.", []),
        ("Von Anna Groß und Jan van der Meer", ["Anna Groß", "Jan van der Meer"]),
        ("Ein Beitrag von Anna Groß", ["Anna Groß"]),
        ("Par Marie d'Arc et Luc Petit", ["Marie d'Arc", "Luc Petit"]),
        ("Propos recueillis par Luc Petit", ["Luc Petit"]),
        ("A column by Ann Lee", ["Ann Lee"]),
        ("Chronique de Luc Petit", ["Luc Petit"]),
        ("Entrevista de Ana Ruiz", ["Ana Ruiz"]),
        ("采写：南都记者 王小明", ["王小明"]),
        ("口述：王小明 整理：李红", ["王小明", "李红"]),
        ("Por Ana Ruiz y Eva Gil", ["Ana Ruiz", "Eva Gil"]),
        ("Por José Ortega y Gasset", ["José Ortega y Gasset"]),
        ("Por João da Silva e Maria de Souza", ["João da Silva", "Maria de Souza"]),
        ("Di Marco Rossi", ["Marco Rossi"]),
        ("a cura di Marco Rossi", ["Marco Rossi"]),
        ("Av Kari Nordmann og Ola Hansen", ["Kari Nordmann", "Ola Hansen"]),
        ("本报记者 王小明 李红", ["王小明", "李红"]),
        ("新华社记者张三、李四 通讯员王五", ["张三", "李四", "王五"]),
        ("记者 张三 李四 编辑 王五", ["张三", "李四"]),
        ("责任编辑：牛镛、岳弘彬", []),
        ("〔記者陳小明／台北報導〕", ["陳小明"]),
        ("文/张三 图/李四", ["张三"]),
        ("新华社北京5月1日电（记者王小明 李红）", ["王小明", "李红"]),
        ("作者：南方周末", ["南方周末"]),
        ("作者：王小明 来源：新华网", ["王小明"]),
        ("来源：江报网　作者：王小明　时间：2026-11-28 17:49", ["王小明"]),
        ("作者：王小明 时间 2026-11-28", ["王小明"]),
        ("作者：王小明 李红 单位：江报社", ["王小明", "李红"]),
        ("홍길동 기자", ["홍길동"]),
        ("[서울=통신] 홍길동·김철수 기자 =", ["홍길동", "김철수"]),
        ("山田太郎 記者", ["山田太郎"]),
        ("記者：高橋 由美", ["高橋 由美"]),
        ("記者：高橋 由美、中村浩二", ["高橋 由美", "中村浩二"]),
        ("著者：小林 さくら 公開日：2026年11月3日", ["小林 さくら"]),
        ("記者：高木 林小明", ["高木", "林小明"]),
        ("이전 글: 시의회, 다리 보수 공사 승인", []),
        ("다음글 : 시의회, 다리 보수 공사 승인", []),
        ("来源：东港日报 作者：王小明 责任编辑：李红", ["王小明"]),
        ("2024年5月2日 来源：东港日报 记者 王小明 李红 通讯员 张三", ["王小明", "李红", "张三"]),
        ("图为文化广场的夜景，文字让生活更美好", []),
        ("We still tax so. A charge on delivery vans is paid by the shop, and the shop leaves; what remains is a street.", []),
        ("Por Marina Duarte, g1 Litoral — Porto Verde", ["Marina Duarte"]),
        ("By Ann O’Neil — The Record", ["Ann O’Neil"]),
        ("Por João Silva — São Paulo", ["João Silva"]),
        ("Published 2 May 2024 at 3:05pm GMT by Ann Lee", ["Ann Lee"]),
        ("He was struck at 7:10 p.m. by a vehicle", []),
        ("By Ann Lee / The Record", ["Ann Lee"]),
        ("Bypass opens", []),
        # interns, names set wide, foreign names; photographers are none
        ("（经济观察报记者 周睿 实习生 郑一诺）", ["周睿", "郑一诺"]),
        ("本报记者 徐　林　朱国兵 通讯员 张伟", ["徐林", "朱国兵", "张伟"]),
        ("作者：英格丽德·索尔海姆 译者：王五", ["英格丽德·索尔海姆"]),
        ("记者周睿·郑一诺", ["周睿", "郑一诺"]),
        ("建设中的大桥。通讯员 孙海涛 摄", []),
        ("文丨记者 罗芳 图丨记者 谢明", ["罗芳"]),
        ("（中央社記者林宜靜台中5日電）", ["林宜靜"]),
        ("文｜财经 李静 发自上海", ["李静"]),
        # what is behind a name
        ("By Katie Ng and Louis Ferreira, CNM", ["Katie Ng", "Louis Ferreira"]),
        ("By Rhiannon Ellis, Rural Affairs Editor", ["Rhiannon Ellis"]),
        ("Par Claire Dumas (Saint-Alban (Lozère), envoyée spéciale)", ["Claire Dumas"]),
        ("By RHODA KEEL and SAM VOSS Tri-County News", ["RHODA KEEL", "SAM VOSS"]),
        ("Interview by Nadia Brandt", ["Nadia Brandt"]),
        ("Postby kelpie » Wed Sep 25, 2024 8:40 pm", []),
        ("by kelpie » Wed Sep 25, 2024 8:40 pm", ["kelpie"]),
        ("Interview: Anna Groß | 12. November 2024, 11:40", ["Anna Groß"]),
        ("Text och foto: Sara Lindqvist · Publicerad 5 oktober 2024", ["Sara Lindqvist"]),
        ("Texto e fotos de Rui Telo", ["Rui Telo"]),
        ("Giriş: 19.05.2025 - 13:40 | Haber: Deniz Koray", ["Deniz Koray"]),
        # places, agencies, addresses and pictures beside names
        ("By Ann Lee in Paris and Bo Grant in Rome", ["Ann Lee", "Bo Grant"]),
        ("By Ann Lee, CNN Business", ["Ann Lee"]),
        ("By Ann Lee BBC News, Ashby", ["Ann Lee"]),
        ("By Ann Lee alee@daily.test", ["Ann Lee"]),
        ("By The Associated Press", ["The Associated Press"]),
        ("Article written by Ann Lee", ["Ann Lee"]),
        ("From: To:", []),
        ("(Reporting by Ann Lee in Paris and Bo Li in Rome; Editing by Cy Dow)", ["Ann Lee", "Bo Li"]),
        ("May 5, 2024 by Ann Lee Leave a Comment", ["Ann Lee"]),
        ("Text: Anna Groß; Fotos: Jan Meer", ["Anna Groß"]),
        ("Eine Analyse von Anna Groß", ["Anna Groß"]),
        ("Eine Reportage aus Kiew von Anna Groß", ["Anna Groß"]),
        ("Written by Grace Novak 1,234 views", ["Grace Novak"]),
        ("Von Anna Groß Stand: 3. Mai 2024", ["Anna Groß"]),
        ("Por Ana Ruiz Publicado el 3 de mayo de 2024", ["Ana Ruiz"]),
        ("Por su parte, el alcalde anunció que el puente se cerrará.", []),
        ("Aus Brüssel berichten Anna Groß und Jan Meer", ["Anna Groß", "Jan Meer"]),
        ("Par Marie Petit avec AFP", ["Marie Petit"]),
        ("De notre correspondante à Bruxelles, Marie Petit", ["Marie Petit"]),
        ("Escrito en España por Ana Ruiz", ["Ana Ruiz"]),
        ("dal nostro inviato Marco Rossi", ["Marco Rossi"]),
        ("首席记者 王小明 见习记者 李红", ["王小明", "李红"]),
        ("取材・文＝山田太郎", ["山田太郎"]),
        ("ライター：佐藤はるか", ["佐藤はるか"]),
        ("（聞き手・山田太郎）", ["山田太郎"]),
        ("(서울=통신) 홍길동 김철수 기자 =", ["홍길동", "김철수"]),
        ("정치부 홍길동 선임기자", ["홍길동"]),
        ("기자명 홍길동", ["홍길동"]),
        ("작성자 홍길동 작성일 26-11-26 06:30 조회 1,261회 댓글 0건", ["홍길동"]),
        ("작성자 최고관리자 작성일 26-11-26 06:30", []),
        # no bylines
        ("Interview with the mayor", []),
        ("Text and photos of the bridge", []),
        ("记者获悉，张三已经到达", []),
        ("他告诉记者：中芯国际在成本控制方面是非常“抠”的", []),
        ("（她興奮地告訴記者：“明天就去。”", []),
        ("《爱情》的作者克里斯多佛·威尔逊却认为，并不正确", []),
        ("来源：新华社 作者：新华社记者王明", ["王明"]),
        ("据本报记者了解，情况良好", []),
        ("De Standaard is back in the shops", []),
        ("Text size", []),
        ("By 2030 all of it is gone", []),
        ("See full bio", []),
        ("Lesedauer: 8 Minuten", []),
    ],
)  # fmt: skip
def test_names_in_a_line(line: str, names: list[str]) -> None:
    assert [
        name for raw in names_in_line(line) for name in split_names(raw, shown=True) if "Staff" not in name
    ] == names


@pytest.mark.parametrize(
    "label",
    ["See full bio", "Lesedauer: 8 Minuten", "Published by", "5 min read", "Follow", "Follow Ann", "More About Ann »", "View all posts", "Temps de lecture : 3 min", "About the author", "2 days ago", "Jan. 7", "Thu Apr 2", "Partager", "分享到", "シェア"],
)  # fmt: skip
def test_labels_are_no_names(label: str) -> None:
    assert split_names(label) == []


@pytest.mark.parametrize(
    ("line", "alone"),
    [
        ("By Ian Vandaelle", True),
        ("Photographs and text by Silke Ahrens", True),
        ("By: Murray Brewster, THE CANADIAN PRESS", True),
        ("Por Ana Ruiz y Eva Gil", True),
        ("Por Juan Pérez · 2 de noviembre de 2026, 12:24 a. m. (UTC-6)", True),
        ("27.03.2025, 06:00 Uhr | Von Michael Deuring", True),
        ("2. Mai 2025: Von hier an geht es bergab", False),
        ("By Ann Lee's account the bridge has to close.", False),
        ("By Ann Lee for the Harbour Post", True),
        ("By ANN LEE FOR HARBOUR ONLINE", True),
        ("28 Nov 2026 20:17 GMT | By Ann Lee for The Record", True),
        ("By Ann Lee for the first time in years", False),
        ("By Ann Lee on November 3, 2026", True),
        ("Written by Ann Lee on 3 Nov 2026, 14:05", True),
        ("By Ann Lee on a road of 1926", False),
        ("By Tuesday it was over.", False),
        ("Por Redacción / El Puerto", True),
        ("By Our Correspondent", True),
        ("Von der Redaktion", True),
        ("By staff of the harbour the bridge was closed.", False),
        ("Von hier an geht es bergab", False),
        ("文/王小明", False),
    ],
)
def test_a_line_that_only_says_whose_the_text_is(line: str, alone: bool) -> None:
    assert is_byline(line) is alone


HEAD = "<h1>The old bridge is to close</h1>"


@pytest.mark.parametrize(
    ("above", "below", "names"),
    [
        (f"{HEAD}<div>Ann Lee</div>", "", ("Ann Lee",)),
        (f"{HEAD}<div>Ann Lee and Bo Li</div>", "", ("Ann Lee", "Bo Li")),
        (f"{HEAD}<div><a href=/tag/ann-lee>Ann Lee</a></div>", "", ()),
        (f"{HEAD}<div class=tags>Ann Lee</div>", "", ()),
        (f"{HEAD}<div class=text__author>Ann Lee</div>", "", ("Ann Lee",)),
        (f"{HEAD}<div class=sub>Ann Lee | Associated Press</div>", "", ("Ann Lee",)),
        (f"{HEAD}<div>Marie Petit Publié le 5 mai 2024 à 10h00</div>", "", ("Marie Petit",)),
        (f"{HEAD}<div>王晓燕 发表于 2024-05-05</div>", "", ("王晓燕",)),
        (f"{HEAD}<div>2024年5月5日 10時00分 山田太郎、佐藤はるか</div>", "", ("山田太郎", "佐藤はるか")),
        (f"{HEAD}<div>山口新聞</div>", "", ()),
        (f"{HEAD}<div class=byline><p>Ann Lee</p></div>", "", ("Ann Lee",)),
        (f"{HEAD}<div class=byline><span>Ann Lee</span> <span>Bo Li</span></div>", "", ("Ann Lee", "Bo Li")),
        (f"{HEAD}<p>By <a href=/staff/ann/>Ann Lee</a> View in print</p>", "", ("Ann Lee",)),
        # commenters and writers of other articles
        (f"{HEAD}<p><a rel=author href=/a>Ann Lee</a></p>", "<div class=comments><p><a rel=author href=/c>Cy Dow</a></p></div>", ("Ann Lee",)),
        (HEAD, "<div class=comments><p><a rel=author href=/c>Cy Dow</a></p></div>", ()),
        (HEAD, "<div class=related><a rel=author href=/c>Cy Dow</a></div>", ()),
        ("<h1>Por qué el viejo puente se cierra</h1><p>Por María Vidal</p>", "", ("María Vidal",)),
        ("<div>Por qué el viejo puente se cierra</div><h1>Por qué el viejo puente se cierra</h1><p>Eva Gil</p>", "", ("Eva Gil",)),
        ("<h1>The long-awaited bypass and life in Ashby</h1>", "", ()),
        (f"{HEAD}<p class=byline>Film by Ann Lee</p>", "", ("Ann Lee",)),
        (f"{HEAD}<p><a href=/u/1>observer</a> <b>楼主</b> 2024-05-02 10:15</p>", "", ("observer",)),
        # a name that is no person's, which leads to its writer's page
        (f"{HEAD}<ul><li><a href=/author/marta/>marta</a></li><li>Nov. 28, 2026</li></ul>", "", ("marta",)),
        (f"{HEAD}<p><a href=/author/%E9%A3%8E/>风中的叶子</a> 2024-05-02</p>", "", ("风中的叶子",)),
        (f"{HEAD}<p><a href=/login>登录</a> <a class=nickname href=/x>晚风里的猫</a></p>", "", ("晚风里的猫",)),
        (f"{HEAD}<p>2 мая 2024, 15:05</p><p>Иван Петров</p>", "", ("Иван Петров",)),
        # who put it in, and who wrote it
        ("<meta name=author content=newsdesk7>" + HEAD + "<p>By Ann Lee</p>", "", ("Ann Lee",)),
        ("<meta name=author content='Ed Hand'>" + HEAD + "<p>By Ann Lee</p>", "", ("Ann Lee",)),
        ("<meta name=author content='Ann Lee'>" + HEAD + "<p>By Ann Lee and Bo Li</p>", "", ("Ann Lee", "Bo Li")),
        ("<meta name=author content='Editorial Team'>" + HEAD + "<p>Words by <b>Nell Okafor</b></p>", "", ("Nell Okafor",)),
        ("<meta name=author content='Editorial Team'>" + HEAD, "", ("Editorial Team",)),
        ("<meta name=author content='腾讯网'>" + HEAD, "<p>（文｜记者 何丽 通讯员 谭静）</p>", ("何丽", "谭静")),
        ("<meta name=author content='王敬东'>" + HEAD, "<p>（记者 张伟）</p><p>编辑：王敬东</p>", ("张伟",)),
        ("<meta name=author content='英格丽德·索尔海姆 徐林 朱国兵'>" + HEAD, "", ("英格丽德·索尔海姆", "徐林", "朱国兵")),
        (f"{HEAD}<div itemprop=author><meta itemprop=name content='陈皮糖'><p>陈皮糖<p>自由撰稿人</div>", "", ("陈皮糖",)),
        (f"{HEAD}<div class=who><div class=n>Ann Lee</div><div class=n>Bo Li</div></div>", "", ("Ann Lee", "Bo Li")),
        (f"{HEAD}<table><tr><td>作者：<td>吴雨桐<td>时间：<td>2024-09-06</table>", "", ("吴雨桐",)),
        ("<meta property=og:site_name content='Quiet Light'>" + HEAD + "<p>By Quiet Light</p>", "", ("Quiet Light",)),
        (f"{HEAD}<p><time>2024年5月2日</time>　<span class=writer>山本美咲</span></p>", "", ("山本美咲",)),
        (f"{HEAD}<p>2024-05-02 臺海新聞網／記者謝靜宜／臺北報導</p>", "", ("謝靜宜",)),
        (f"{HEAD}<p>2024-05-02 记者 王小明 李红</p>", "", ("王小明", "李红")),
        (HEAD, "<p>（记者 王小明 通讯员 李红 编辑 张三）</p>", ("王小明", "李红")),
        # libraries' way, and whose the pictures are
        ("<meta name=citation_author content='Finch, Eleanor'><meta name=citation_author content='van Dam, Piet'>" + HEAD, "", ("Eleanor Finch", "Piet van Dam")),
        ("<meta name=dc.creator content='Ann Lee, Bo Grant'>" + HEAD, "", ("Ann Lee", "Bo Grant")),
        (f"{HEAD}<p>By <a href=/contributor/1>A. J. Neal</a> View in digital edition</p>", "", ("A. J. Neal",)),
        ('<script type="application/ld+json">{"@type":"Article","author":{"name":"Maria &amp; Katerina"}}</script>' + HEAD, "", ("Maria", "Katerina")),
        ("<meta name=twitter:label1 content='Written by'><meta name=twitter:data1 content='Ann Lee'>" + HEAD, "", ("Ann Lee",)),
        (f"{HEAD}<p>By brands, I buy the gear myself, I’ll tell you</p>", "", ()),
        (f"{HEAD}<p class=byline>By <a href=/medium>Medium</a></p>", "", ()),
        (f"{HEAD}<p class=byline>RunSport Staff</p>", "", ("RunSport Staff",)),
        ("<p>Dec 17, 2025 <span>Ann B. Lee</span></p>" + HEAD, "", ("Ann B. Lee",)),
        (f"<p><a href=/team/ann>Ann Lee</a></p>{HEAD}", "", ("Ann Lee",)),
        (f"{HEAD}<p class=reporter>山口花子</p>", "", ("山口花子",)),
        # two beside a day, what the document's title ends in, entries of a list below a text
        (f"{HEAD}<div>Ann Lee and Bo Li | Reporter May 5, 2024</div>", "", ("Ann Lee", "Bo Li")),
        (f"{HEAD}<div>王晓燕，发表于 2024-05-05</div>", "", ("王晓燕",)),
        ("<title>The old bridge is to close | Ashbywise</title><meta name=author content=Ashbywise>" + HEAD + "<p>Ann Lee | May 5, 2024</p>", "", ("Ann Lee",)),
        ("<title>The old bridge is to close | Ashbywise</title><meta name=author content=Ashbywise>" + HEAD, "", ("Ashbywise",)),
        (HEAD, "".join(f"<h3><a href=/{n}>Another story of the town {n}</a></h3><div>By {name}</div>" for n, name in enumerate(("Cy Dow", "Di Fox", "Ed Hay"))), ()),
        (HEAD, "<p>By Ann Lee</p><h4>Comments</h4><p>A good text.</p><p>By Cy Dow</p><p>So it is.</p><p>By Di Fox</p>", ("Ann Lee",)),
        ("<p>Ashby, 11 December 2025</p>" + HEAD + "<p>Norrby Pumps today introduced the new pump, which the town will buy.</p>", "", ()),
        # names in parts, all of those whom the data name the first of, and data that name the site
        ('<script type="application/ld+json">{"@type":"Article","author":{"givenName":"Ann","familyName":"Lee"}}</script>' + HEAD, "", ("Ann Lee",)),
        ("<meta name=author content='Ann Lee'>" + HEAD + "<p>By Dr Ann Lee and Bo Li</p>", "", ("Dr Ann Lee", "Bo Li")),
        ('<meta property=og:site_name content=Ashby><script type="application/ld+json">{"@type":"Article","author":{"@type":"Organization","name":"Ashby"}}</script>' + HEAD + "<p>Ann Lee</p>", "", ("Ann Lee",)),
        ("<h1>Pump House Update 2024-10-04</h1><h1>Pump House Update 2024-10-04</h1><div><a href=/u/heron>heron</a> to</div>", "", ("heron",)),
        # a person's own site, and who else posted below
        ("<meta property=og:site_name content='Ann Lee'><meta name=author content='Ann Lee'>" + HEAD, "", ("Ann Lee",)),
        ("<meta property=og:site_name content='Ashby Times'><meta name=author content='Ashby Times'>" + HEAD, "", ()),
        (f"{HEAD}<div><span itemprop=author>observer</span><time>May 2</time>", "<span itemprop=author>heron</span></div>", ("observer",)),
        ("<meta property=og:site_name content='Ann Lee'>" + HEAD + "<h4 class=author-name><a href=/author/ann/>Ann Lee</a></h4>", "", ("Ann Lee",)),
        ("<meta name=author content='Super User'>" + HEAD, "", ()),
        (f"{HEAD}<p class=writer>久保田優希　長谷川健</p>", "", ("久保田優希", "長谷川健")),
        (f"{HEAD}<p><span>بقلم: <a href=/author/5>رنا الخطيب</a></span> <span>نشر في: 13 نوفمبر 2025</span></p>", "", ("رنا الخطيب",)),
        (f"{HEAD}<p>By <a href=/authors/seema>सीमा त्रिपाठी</a> Edited By: अजय वर्मा Publish Date: Thu, 13 Nov 2025</p>", "", ("सीमा त्रिपाठी",)),
        # the writer's card below a text, and those of other articles
        (HEAD, "<p>Share</p><p>Print</p><div><img src=/a.jpg><h4><a href=/author/5>Ann Lee</a></h4><p>Ann Lee writes about bridges.</p></div>", ("Ann Lee",)),
        (HEAD, "<p>Share</p><p>Print</p><div><h4><a href=/author/5>Ann Lee</a></h4></div><div><h4><a href=/author/6>Bo Li</a></h4></div>", ()),
        # whom the writer works for, beside the day
        (HEAD + "<p>28 Nov 2026 20:17 GMT | Ann Lee for Harbour Watch</p>", "", ("Ann Lee",)),
        (HEAD + "<p>July 22, 2017 | Harbour Week Call for Proposals is Open</p>", "", ()),
        (HEAD + "<p><span class=author>by 바다사람</span> <span>2026. 11. 27. 21:05</span></p>", "", ("바다사람",)),
        # below editors, counts and the day; a line that may be a sentence stands too far below
        (HEAD, "<p>编辑：赵雅琴</p><p>点赞 10</p><p>发布时间：2024-05-06 15:17</p><p>财政 旅游</p><p>作者：张丽华</p>", ("张丽华",)),
        (HEAD, "<p>Share</p><p>Print</p><p>10 likes</p><p>Harbour</p><p>By Ann Lee</p>", ()),
        # a post's own card below it, and those of readers
        (HEAD, "<p><span class='author vcard'><span class=fn>heron</span></span></p>", ("heron",)),
        (HEAD, "<p><span class='vcard author'>heron</span></p><p><span class='vcard author'>otter</span></p>", ()),
        (f"{HEAD}<div class=credits>Words <a>Ann Lee</a> <span>Photography</span> <a>Bo Grant</a></div>", "", ("Ann Lee",)),
    ],
)  # fmt: skip
def test_whose_article_it_is(above: str, below: str, names: tuple[str, ...]) -> None:
    page = Page.parse(
        f"<html><body>{above}<p>{PARAGRAPH}</p><p>{PARAGRAPH}</p>{below}</body></html>".encode(), "http://d.test/1"
    )
    body = [block for block in page.blocks if block.text.startswith("The council")]
    heading = next(block.index for block in page.blocks if block.tag == "h1")
    assert authors_of(page, body, lambda: heading).names == names


@pytest.mark.parametrize(
    ("above", "below", "name"),
    [
        ("<meta name=ContentSource content='瑞城教育'>", "", "瑞城教育"),
        ("<table><tr><td>来源：<td>瑞城教育<td>日期：<td>2024-09-02</table>", "", "瑞城教育"),
        ("<p>2024-05-02 10:00 <a class='source ent-source'>经济观察报</a></p>", "", "经济观察报"),
        ("<p><span>临湖在线</span><span>2024-05-02 10:00</span></p>", "", "临湖在线"),
        ("<p>2024-05-02 来自: 和县报</p>", "", "和县报"),
        ("", "<p>来源于 江城晚报</p>", "江城晚报"),
        ("", "<p>本文来自微信公众号“芯事”（ID：xinshi88）</p>", "芯事"),
        ("<p>News provided by</p><p><a>Northlight plc</a></p>", "", "Northlight plc"),
        ("", "<p>SOURCE Northlight plc</p>", "Northlight plc"),
        ("<p>图像来源: Lin Wei</p>", "", ""),
    ],
)
def test_where_it_comes_from(above: str, below: str, name: str) -> None:
    page = Page.parse(f"<html><body><h1>标题</h1>{above}<p>{PARAGRAPH}市议会。</p>{below}".encode(), "http://d.test/1")
    assert source_of(page, [block for block in page.blocks if block.text.startswith("The council")]) == name


@pytest.mark.parametrize("value", ["2024-05-02 10:00", "2 May 2024", "10:00", "5月2日 2024年5月2日"])
def test_a_source_is_never_a_date(value: str) -> None:
    page = Page.parse(
        f"<html><head><meta name=source content='{value}'></head><body><p>来源：{value}</p><p>{PARAGRAPH}</p>".encode(),
        "",
    )
    body = [block for block in page.blocks if block.text.startswith("The council")]
    assert source_of(page, body) == ""


@pytest.mark.parametrize(
    ("line", "only"),
    [
        ("Nov 23, 2026 · Nina Foss", True),
        ("November 23, 2026 11:48 PM EST / Ruth Calder", True),
        ("Mon, 23 Nov 2026 10:00 +0800", True),
        ("Halina Worek, 17 listopada 2024", True),
        ("Im Jahr 1990 kamen 3 Millionen 2024 Fahrten dazu", False),
        ("http://finance.portal.test 2026年11月23日 10:54 海港财经", True),
        ("2026-11-23 10:54 来源：海港报", True),
        ("2026-11-23 10:54:07 来源：海港报 作者：佚名 评论:0 点击:0", True),
        ("二〇二六年十一月二十三日 17时51分 作者：吴国栋 已阅读375次", True),
        ("中華民國115年11月23日 下午10:43 記者趙立新／海港報導", True),
        ("民國115年11月23日 上午11點10分 記者趙立新／報導", True),
        ("令和8年11月23日 14時05分 記者・佐藤健一", True),
        ("令和8年11月23日、町は橋を閉めた", False),
        ("Chur, 23.11.2026, 17:01 - Nina Foss", True),
        ("November 23, 2026 | 6:03 a.m. EST", True),
        ("23 November 2026 | 6 a.m. to noon at the harbour", False),
        ("二〇二六年十一月二十三日，大会在海港召开", False),
        ("Nina Foss &mdash; <time datetime=2026-11-23>Nov 23</time>", True),
        ("Nina Foss &mdash; Nov 23", False),
        ("2026-11-23T05:24:00Z", True),
        ("2026-11-23T05:24:00.000Z", True),
        ("2026-11-23T05:24:00Z the council closed it", False),
        ("Nov 23, 2026 | 5 min read", True),
        ("23.11.2026 | Lesezeit: 3 Minuten", True),
        ("Nina Foss · 2026-11-23 10:54 · <a href=/topics/science/>Science</a>", True),
        ("Nina Foss · 2026-11-23 10:54 · Science", False),
        ("2026-11-23 10:54 · <a href=/b>The bridge is to close for a year</a>", False),
        ("<time datetime=2026-11-23>Nov 23</time> the council closed the bridge", False),
        ("2026年11月23日，大会在海港召开", False),
        ("In Nov 23, 2026 the council closed it", False),
        ("2026 World Cup", False),
        ("Maria de Souza", False),
    ],
)
def test_a_line_that_says_no_more_than_when(line: str, only: bool) -> None:
    [block] = Page.parse(f"<p>{line}</p>".encode(), "http://a.test/", "text/html; charset=utf-8").blocks
    assert says_when(block) is only


def test_the_line_above_a_text_that_says_when_is_none_of_it() -> None:
    lines = "".join(f"<p>{PARAGRAPH} It is the {n}th.</p>" for n in range(4, 8))
    head = "<h1>The bridge is closed until the autumn</h1><p>November 3, 2026 11:48 PM EST / Ruth Calder</p>"
    page = Page.parse(f"<html lang=en><body><article>{head}{lines}</article></body></html>".encode(), "http://a.test/1")
    assert extract(page).body.startswith("The council voted")


def test_a_day_below_a_first_paragraph_is_a_heading_of_the_text() -> None:
    blocks = Page.parse(f"<p>{PARAGRAPH}</p><h3>Nov 3, 2026</h3><p>{PARAGRAPH}</p>".encode(), "http://a.test/1").blocks
    assert without_bylines(blocks) == blocks
    above = Page.parse(f"<b>A bridge</b><p>Nov 3, 2026</p><p>{PARAGRAPH}</p>".encode(), "http://a.test/1").blocks
    assert without_bylines(above) == [above[0], above[2]]


@pytest.mark.parametrize(
    ("names", "left"), [(("Ann Lee", "Bo Reed"), (3, 4)), (("The bridge is open.",), (0, 1, 2, 3))]
)
def test_a_label_above_a_text_and_the_names_below_it_are_none_of_it(
    names: tuple[str, ...], left: tuple[int, ...]
) -> None:
    items = "".join(f"<li>{name}</li>" for name in names)
    markup = f"<h3>Posted by:</h3><ul>{items}</ul><p>{PARAGRAPH}</p><p>{PARAGRAPH}</p>"
    blocks = Page.parse(markup.encode(), "http://a.test/1").blocks
    assert without_bylines(blocks) == [blocks[one] for one in left]


ENGLISH = "".join(
    f"<p>The council voted on day {n} to mend the old bridge over the harbour, which had been shut.</p>"
    for n in range(5)
)
CHINESE = "".join(
    f"<p>这座城市在第{n}天宣布修复港口旁的老桥，桥已经封闭了很久，居民们一直在等待这个消息。</p>" for n in range(5)
)


@pytest.mark.parametrize(
    ("above", "text", "names"),
    [
        # days of the week
        ("<p>Thứ Sáu, 27/11/2026 10:15</p>", ENGLISH, ()),
        ("<p>Thứ Sáu</p><p>27/11/2026</p>", ENGLISH, ()),
        ("<p class='author'>星期五</p><p>2026-11-27 20:21</p>", CHINESE, ()),
        # signs before a name, days without a year beside one
        ("<div>✍ 王晓燕 · 2026-11-27 20:21 · 股市</div>", CHINESE, ("王晓燕",)),
        ("<div>✍️ Ann Lee · November 27, 2026 · Markets</div>", ENGLISH, ("Ann Lee",)),
        ("<div><span>Ann Lee</span> | <time datetime='2026-11-27'>27 Nov</time></div>", ENGLISH, ("Ann Lee",)),
        ("<div><span>王晓燕</span> | 11月27日</div>", CHINESE, ("王晓燕",)),
        ("<div>Ann Lee | 2026-11-27</div>", ENGLISH, ("Ann Lee",)),
        # above the text: a name beside the date wins over a reporter in the text, a label over both
        ("<p>于永康　2026-11-27 08:30</p>", f"<p>本报记者 张晓赫 北京报道 城里的人都在等待这座桥的修复，已经等了很久很久了。</p>{CHINESE}", ("于永康",)),
        ("<p>于永康　2026-11-27 08:30</p><p>作者：陈思远</p>", CHINESE, ("陈思远",)),
        # at the foot: what is stated wins over whom the text speaks of
        ("<p>2026-11-27</p>", f"<p>本报讯 记者王小明 介绍说，工程很大，城里的人都在等待这座桥的修复，已经等了很久。</p>{CHINESE}<p>作者：陈思远</p>", ("陈思远",)),
        ("<p>2026-11-27</p>", f"{CHINESE}<p>（陈思远）</p>", ("陈思远",)),
        ("<p>2026-11-27</p>", f"{CHINESE}<p>市議会は火曜日、新しい橋について協議し、複数の案が示されたと明らかにした。【山田太郎】</p>", ("山田太郎",)),
        ("<p>November 27, 2026</p>", f"{ENGLISH}<p>— Ann Lee</p>", ("Ann Lee",)),
        ("<p>November 27, 2026</p>", f"{ENGLISH}<p>— Ann Lee and Bo Reed</p>", ("Ann Lee", "Bo Reed")),
        ("<p>November 27, 2026</p>", f"{ENGLISH}<p>Editor: Jo Reed</p><p>read 312 times</p><p>(Ann Lee)</p>", ("Ann Lee",)),
        ("<p>November 27, 2026</p>", f"{ENGLISH}<h3>Posted by:</h3><div>Ann Lee</div><div>Bo Reed</div><p><a href='/blog/'>Return to blog</a></p>", ("Ann Lee", "Bo Reed")),
        ("<p>November 27, 2026</p>", f"{ENGLISH}<p>Posted by:</p><p>Ann Lee</p>", ("Ann Lee",)),
        ("<p>November 27, 2026</p>", f"{ENGLISH}<p>Harbour Bridge</p>", ()),
        # whose the site is, as MediaWiki says it below each headline
        ("<div id=siteSub>From Tidewater Notes</div>", f"<p><b>28 November 2026</b></p>{ENGLISH}", ()),
    ],
)  # fmt: skip
def test_who_wrote_as_the_lines_around_a_text_say(above: str, text: str, names: tuple[str, ...]) -> None:
    page = Page.parse(f"<body><h1>The old bridge of the town</h1>{above}{text}".encode(), "https://daily.test/a/1")
    assert extract(page).authors == names


@pytest.mark.parametrize(
    ("side", "above", "names"),
    [
        ("", "<div><img alt='佐伯 真由美'><b>佐伯 真由美</b></div>", ("佐伯 真由美",)),
        ("<nav><div class=post-authors><p><img alt='Ann Lee'><b>Ann Lee</b></p></div></nav>", "", ("Ann Lee",)),
        ("<nav><div class=languages><p><img alt='Old Norse'><b>Old Norse</b></p></div></nav>", "", ()),
        ("", "<figure><img alt='港湾 大橋'><p>港湾 大橋</p></figure>", ()),
        ("", "<div><img alt='港湾大橋'><p>港湾大橋</p></div>", ()),
        ("", "<div><img alt='港湾 大橋'><a href=/b>港湾 大橋</a></div>", ()),
    ],
)
def test_the_name_beside_a_picture_that_says_the_same_is_the_writers(
    side: str, above: str, names: tuple[str, ...]
) -> None:
    text = "<p>The council voted on Tuesday to close the bridge for repairs, which will take until the autumn.</p>" * 4
    more = "<nav><p>Metadata</p><p>2 November 2026</p><p>in craft</p><p>2 min read</p></nav>"
    markup = f"<meta charset=utf-8><body>{side}{more}<main><h1>Bridge closes</h1>{above}{text}</main></body></html>"
    assert extract(Page.parse(markup.encode(), "http://x.test/a")).authors == names


@pytest.mark.parametrize(
    ("stated", "line", "names"),
    [
        ("", "<div id=post-author><i></i><br>Ann Lee</div>", ("Ann Lee",)),
        ("", "<div id=post-tag><i></i><br>Ann Lee</div>", ("Mo Owen",)),
        (', "author": {"name": "Mo Owen"}', "<div id=post-author>Ann Lee</div>", ("Mo Owen",)),
    ],
)
def test_meta_elements_may_name_whose_the_site_is_where_a_line_shows_who_wrote(
    stated: str, line: str, names: tuple[str, ...]
) -> None:
    data = f'<script type="application/ld+json">{{"@type": "NewsArticle"{stated}}}</script>'
    text = "<p>The council voted on Tuesday to close the bridge for repairs, which will take until the autumn.</p>" * 4
    head = f"<head><meta name=author content='Mo Owen'>{data}</head>"
    markup = f"<html lang=en>{head}<main><h1>Bridge closes</h1><div>2 May 2026</div>{line}<article>{text}</article>"
    assert extract(Page.parse(markup.encode(), "http://x.test/a")).authors == names


def test_a_class_may_call_an_element_the_name_of_an_author_anywhere_but_in_comments() -> None:
    said = '<div class="post-author"><p class="post-author__name">Maria Lopez</p></div>'
    box = '<div class="copyright"><div class="copyright__author_name">Maria Lopez</div></div>'
    text = "<p>The council voted on Tuesday to close the bridge for repairs, which will take until the autumn.</p>" * 4
    for around, names in ((said, ("Maria Lopez",)), (box, ("Maria Lopez",)), (f"<div class=comment>{said}</div>", ())):
        markup = f"<html lang=en><body><main><h1>Bridge closes</h1>{text}<div>{around}</div></main></body></html>"
        assert extract(Page.parse(markup.encode(), "http://x.test/a")).authors == names


@pytest.mark.parametrize("credit", ["", "<p>Фото: пресс-служба администрации</p>"])
def test_a_byline_between_the_last_lines_is_read_and_none_of_the_text(credit: str) -> None:
    text = "На время работ движение пустят по Северной улице, говорят в администрации, а первые торги объявят в январе."
    lines = f"<h1>Мост заменят</h1><p>{text}</p><p>{text}</p><p>Автор: Мария Лебедева</p>{credit}<p><a href=/news/>Назад</a></p>"
    found = extract(Page.parse(f"<html><body><div class=news>{lines}</div></body></html>".encode(), "http://d.test/1"))
    assert found.body.split("\n") == [text, text]
    assert found.authors == ("Мария Лебедева",)
