import io
import random
import tarfile
import zipfile

import pytest
from playing import zipped

from arena.core.errors import ArenaError
from arena.services import archives
from arena.services.archives import content_digest, read_archive


def tarred(
    *members: tarfile.TarInfo, mode: str = "w:gz", content: bytes = b"", archive_format: int = tarfile.DEFAULT_FORMAT
) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode, format=archive_format) as archive:
        for member in members:
            if member.isreg() and not member.size:
                member.size = len(content)
            archive.addfile(member, io.BytesIO(content) if member.isreg() else None)
    return packed.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, **facts) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    for fact, value in facts.items():
        setattr(info, fact, value)
    return info


def refusal(archive: bytes) -> ArenaError:
    with pytest.raises(ArenaError) as caught:
        read_archive(archive)
    return caught.value


def paths(archive: bytes) -> list[str]:
    return [file.path for file in read_archive(archive)]


def test_zip_tar_and_compressed_tar_give_the_same_files():
    files = [
        read_archive(zipped({"bot.py": b"x"})),
        read_archive(tarred(member("bot.py"), mode="w", content=b"x")),
        read_archive(tarred(member("bot.py"), mode="w:gz", content=b"x")),
    ]
    assert files[0] == files[1] == files[2]


def test_one_folder_around_the_files_is_taken_off():
    assert paths(zipped({"my_bot/bot.toml": b"", "my_bot/lib/a.py": b""})) == ["bot.toml", "lib/a.py"]


def test_two_folders_side_by_side_stay():
    assert paths(zipped({"one/a": b"", "two/b": b""})) == ["one/a", "two/b"]


def test_what_macos_and_python_leave_behind_is_ignored():
    found = zipped(
        {
            "my_bot/bot.toml": b"",
            "my_bot/.DS_Store": b"x",
            "__MACOSX/my_bot/._bot.toml": b"x",
            "my_bot/__pycache__/bot.cpython-311.pyc": b"x",
        }
    )
    assert paths(found) == ["bot.toml"]


def test_the_executable_bit_is_kept():
    files = read_archive(tarred(member("bot", mode=0o755), member("bot.toml", mode=0o644)))
    assert {file.path: file.executable for file in files} == {"bot": True, "bot.toml": False}


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/etc/passwd", "C:/evil", "a\\..\\evil", "a\nb"])
def test_a_path_that_leads_elsewhere_is_refused_by_name(name):
    for archive in (zipped({name: b"x"}), tarred(member(name), content=b"x")):
        error = refusal(archive)
        assert error.code == "BAD_ARCHIVE"
        assert repr(name) in error.message


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_are_refused(kind):
    error = refusal(tarred(member("bot.py", kind, linkname="/etc/passwd")))
    assert error.code == "BAD_ARCHIVE"
    assert "'bot.py'" in error.message


def test_a_link_in_a_zip_is_refused():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        info = zipfile.ZipInfo("bot.py")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    assert "is a link" in refusal(packed.getvalue()).message


def test_a_zip_bomb_is_refused_before_it_is_unpacked(monkeypatch):
    monkeypatch.setattr(archives, "MAX_FILE_BYTES", 1 << 20)
    error = refusal(zipped({"big": bytes(8 << 20)}))
    assert error.code == "FILE_TOO_LARGE"
    assert "'big'" in error.message
    assert "1 MB" in error.message


def test_a_zip_that_lies_about_its_sizes_is_refused(monkeypatch):
    monkeypatch.setattr(archives, "MAX_FILE_BYTES", 1 << 20)
    honest = zipped({"big": bytes(8 << 20)})
    lying = honest.replace((8 << 20).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert refusal(lying).code in {"BAD_ARCHIVE", "FILE_TOO_LARGE"}


def test_many_files_that_are_too_much_together_are_refused(monkeypatch):
    monkeypatch.setattr(archives, "MAX_UNPACKED_BYTES", 1 << 20)
    files = {f"part{number}": bytes(300_000) for number in range(4)}
    assert refusal(zipped(files)).code == "CONTENT_TOO_LARGE"


def test_a_gzip_bomb_of_headers_is_refused(monkeypatch):
    monkeypatch.setattr(archives, "MAX_UNPACKED_BYTES", 1 << 10)
    monkeypatch.setattr(archives, "MAX_FILES", 10)
    bomb = tarred(member("x" * 100_000), archive_format=tarfile.GNU_FORMAT)
    assert refusal(bomb).code == "CONTENT_TOO_LARGE"


def test_an_extended_header_that_is_too_long_is_refused_before_it_is_searched():
    # 4 MB of digits in a place where tarfile searches by the square of them: hours, in which nothing else runs.
    endless = tarred(
        member("bot.py", size=0, pax_headers={"comment": "1" * (4 << 20)}), archive_format=tarfile.PAX_FORMAT
    )
    error = refusal(endless)
    assert error.code == "HEADER_TOO_LARGE"
    assert "2 KB are allowed" in error.message


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, 93, 99])
def test_a_zip_packed_in_a_way_that_cannot_be_bounded_is_refused(method):
    # A few hundred bytes of bzip2 that say they are ten become gigabytes in one read.
    packed = bytearray(zipped({"x": b"0123456789" * 9}))
    for header in (b"PK\x03\x04", b"PK\x01\x02"):
        at = packed.index(header) + (8 if header == b"PK\x03\x04" else 10)
        packed[at : at + 2] = method.to_bytes(2, "little")
    error = refusal(bytes(packed))
    assert error.code == "BAD_ARCHIVE"
    assert "'x' is packed in a way that is not read here" in error.message


def test_whatever_bytes_are_changed_in_an_archive_nothing_worse_than_a_refusal_comes_of_it():
    stream = random.Random(7)
    files = {"bot.toml": b"name = 1\n" * 9, "lib/a.py": b"print(1)\n" * 30}
    wholes = [zipped(files)] + [
        tarred(*(member(f"{path}{'y' * 80}") for path in files), mode=mode, content=b"x" * 20, archive_format=kind)
        for mode in ("w", "w:gz")
        for kind in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)
    ]
    refusals = []
    for _ in range(4000):
        broken = bytearray(stream.choice(wholes))
        for _ in range(stream.randint(1, 6)):
            at = stream.randrange(len(broken))
            few = stream.randint(1, 8)
            broken[at : at + stream.choice((0, 1, few))] = stream.choice(
                (stream.randbytes(few), b"\xff" * few, b"9" * few)
            )
        try:
            read_archive(bytes(broken))
        except ArenaError as error:
            refusals.append(error.message)
    assert len(refusals) > 1000
    assert all(message.isprintable() for message in refusals)


def test_too_many_files_are_refused(monkeypatch):
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    error = refusal(zipped({f"file{number}": b"" for number in range(4)}))
    assert error.code == "TOO_MANY_FILES"
    assert "3 files" in error.message
    assert "'file3' is one too many" in error.message


def test_too_many_folders_are_refused(monkeypatch):
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    folders = [member(f"folder{number}", tarfile.DIRTYPE) for number in range(9)]
    assert refusal(tarred(*folders)).code == "TOO_MANY_FILES"


def test_an_archive_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(archives, "MAX_ARCHIVE_BYTES", 10)
    assert refusal(zipped({"bot.py": b"x"})).code == "ARCHIVE_TOO_LARGE"


def test_a_path_that_is_too_long_is_refused():
    assert refusal(zipped({"x" * 300: b""})).code == "PATH_TOO_LONG"


def test_names_that_differ_only_in_case_are_refused():
    assert "twice" in refusal(zipped({"bot.py": b"", "Bot.py": b""})).message


def test_a_path_that_is_both_file_and_folder_is_refused():
    assert "both a file and a folder" in refusal(zipped({"a": b"", "a/b": b""})).message


@pytest.mark.parametrize("archive", [b"", b"PK\x03\x04 broken", b"\x1f\x8b broken", b"plain text" * 100, bytes(2000)])
def test_what_is_no_archive_is_refused_in_one_line(archive):
    error = refusal(archive)
    assert error.code == "BAD_ARCHIVE"
    assert "\n" not in error.message


def test_an_archive_cut_off_in_the_middle_is_refused():
    for whole in (zipped({"bot.py": b"x" * 5000}), tarred(member("bot.py"), content=bytes(range(256)) * 99)):
        assert refusal(whole[: len(whole) // 2]).code == "BAD_ARCHIVE"


def test_packing_again_keeps_the_content_digest_and_any_change_changes_it():
    digest = content_digest(read_archive(zipped({"a": b"1", "b": b"2"})))
    assert content_digest(read_archive(zipped({"x/b": b"2", "x/a": b"1"}))) == digest
    others = [{"a": b"1", "c": b"2"}, {"a": b"1", "b": b"3"}, {"a": b"12", "b": b""}, {"a": b"1"}]
    assert digest not in {content_digest(read_archive(zipped(files))) for files in others}
