import Support
import Testing

@Suite("cut by lists, chapters and durations, end to end")
struct CLICutListTests {
  private func run(_ lines: String) throws -> (lines: [String], errors: String) {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag -q in.mp4 -o film.mp4; mp4tool edit -q --in-place --timecode 10:00:00:00 film.mp4
      printf '00:00:00.000 Start / here\\n00:00:02.000 Two\\n' > chapters; cp film.mp4 book.mp4
      mp4tool edit -q --in-place --chapters chapters book.mp4
      \(lines)
      """)
    return (result.lines.map { String($0) }, result.errorText)
  }

  @Test("Each event or line becomes a file with its number, title and timecode, or all are joined")
  func lists() throws {
    let result = try run(
      """
      printf '001  FILM  V  C  10:00:00:10 10:00:01:00 0:0:0:0 0:0:1:0\\n* FROM CLIP NAME: One/a\\n' > x.edl
      printf '002  OTHER  V  C  10:00:00:10 10:00:01:00 0:0:0:0 0:0:1:0\\n' >> x.edl
      printf '003  FILM  V  C  10:00:02:00 10:00:03:00 0:0:0:0 0:0:1:0\\n' >> x.edl
      mp4tool cut -q --list x.edl film.mp4 -o '%02d %t %c.mp4'; echo $?; ls | grep ^0
      mp4tool cut -q --list x.edl film.mp4 -o joined.mp4; echo $?
      mp4tool cut -q --range 10:00:00:10..10:00:01:00 --range 10:00:02:00..10:00:03:00 film.mp4 -o ranges.mp4
      cmp joined.mp4 ranges.mp4 && echo same
      """)
    #expect(
      result.lines == ["0", "01 One_a 10-00-00-10.mp4", "02 2 10-00-02-00.mp4", "0", "same"], "\(result)")
  }

  @Test("Chapters and equal durations")
  func splitting() throws {
    let result = try run(
      """
      mp4tool cut -q --split-chapters book.mp4 -o 'c %t.mp4'; echo $?; ls c*.mp4
      mp4tool cut -q --to 5 film.mp4 -o five.mp4; mp4tool cut -q --split-every 2 five.mp4 -o 's%d.mp4'; echo $?
      mp4tool cut -q --split-at 2,4 five.mp4 -o 't%d.mp4'; cmp s1.mp4 t1.mp4 && cmp s2.mp4 t2.mp4 && echo same
      mp4tool cut -q --from 1 --duration 1.5 film.mp4 -o a.mp4; mp4tool cut -q --from 1 --to 2.5 film.mp4 -o b.mp4
      cmp a.mp4 b.mp4 && echo same
      """)
    #expect(
      result.lines == ["0", "c Start _ here.mp4", "c Two.mp4", "0", "same", "same"], "\(result)")
  }

  @Test("Parts of a size start at keyframes, and each file is as large as possible")
  func sizes() throws {
    let result = try run(
      """
      size=$(wc -c < film.mp4); limit=$((size / 3))
      mp4tool cut -q --split-every ${limit}B film.mp4 -o 's%d.mp4'; echo $?
      for f in s*.mp4; do [ $(wc -c < $f) -le $limit ] || echo $f is too large; done
      mp4tool concat -q s?.mp4 -o whole.mp4
      for f in film whole; do mp4tool hash $f.mp4 | head -n 1 | cut -c 1-64; done | sort -u | wc -l
      mp4tool cut -q --split-every 1GB film.mp4 -o 'one%d.mp4'; ls one*
      mp4tool cut -q --split-every 1s film.mp4 -o 'a%d.mp4'; mp4tool cut -q --split-every 0:01 film.mp4 -o 'b%d.mp4'
      cmp a2.mp4 b2.mp4; mp4tool cut --split-every 2kB film.mp4 -o 'c%d.mp4' 2> message; echo $?; ls c?.mp4 2> /dev/null
      for word in 0 10x 1.5gb 1.GB -1 99999999999999TB; do
        mp4tool cut --split-every=$word film.mp4 -o 'c%d.mp4' 2> /dev/null; echo $?
      done
      """)
    #expect(
      result.lines == ["0", "1", "one1.mp4", "65", "64", "64", "64", "64", "64", "64"], "\(result)")
  }

  @Test("A duration can be a number of frames, or a timecode")
  func frames() throws {
    let result = try run(
      """
      mp4tool cut -q --from 25f --duration 37f film.mp4 -o a.mp4; mp4tool cut -q --from 25f --to 62f film.mp4 -o b.mp4
      cmp a.mp4 b.mp4 && echo same
      mp4tool cut -q --from 10:00:01:02 --duration 00:00:01:12 film.mp4 -o c.mp4; cmp a.mp4 c.mp4 && echo same
      mp4tool cut -q --duration 37f film.mp4 -o d.mp4; mp4tool cut -q --to 37f film.mp4 -o e.mp4
      cmp d.mp4 e.mp4 && echo same
      mp4tool cut -q --from 1 --duration 100000f film.mp4 -o f.mp4; echo $?
      mp4tool cut -q --from 1 --duration 0f film.mp4 -o f.mp4; echo $?
      """)
    #expect(result.lines == ["same", "same", "same", "65", "64"], "\(result)")
    #expect(result.errors.contains("frame 100000 does not exist; the video has "), "\(result.errors)")
  }

  @Test("Each part of a list that extends past the end is reported")
  func ends() throws {
    let result = try run(
      """
      printf '0,1,a\\n2,1000,b\\n3,,c\\n1,2000,d\\n' > x.csv
      mp4tool cut --list x.csv film.mp4 -o %t.mp4; echo $?
      """)
    #expect(result.lines == ["0"], "\(result)")
    let notes = result.errors.split(separator: "\n").filter { $0.contains("before the requested") }
    #expect(notes.count == 2, "\(result.errors)")
    #expect(notes.first?.contains("film.mp4: part 2: the presentation ends at ") == true, "\(notes)")
  }

  @Test("Wrong lists, names and combinations write nothing")
  func refusals() throws {
    for (words, code, text) in [
      ("--list x.csv film.mp4 -o same.mp4", 64, "overlap or are not in order"),
      ("--list bad.csv film.mp4 -o p%d.mp4", 65, "bad.csv: line 2: 'x' is no time"),
      ("--list none.csv film.mp4 -o p%d.mp4", 66, "none.csv"),
      ("--split-every 1 film.mp4 -o p.mp4", 64, "must contain %d"),
      ("--split-every 1 film.mp4 -o %q.mp4", 64, "must contain %d"),
      ("--split-chapters film.mp4 -o %d.mp4", 65, "no chapters"),
      ("--from 1 --to 2 --duration 1 film.mp4 -o o.mp4", 64, "contradict"),
      ("--from 1 --reel A film.mp4 -o o.mp4", 64, "needs '--list'"),
      ("--list same.csv film.mp4 -o %t.mp4", 64, "2 parts would be called 'a.mp4'"),
      ("--list x.csv film.mp4 -o x.csv", 73, "x.csv"),
    ] {
      let result = try run(
        """
        printf '0,2\\n1,3\\n' > x.csv; printf '0,2\\nx,3\\n' > bad.csv; printf '0,1,a\\n1,2,a\\n' > same.csv
        mp4tool cut \(words); echo $?; ls *.mp4
        """)
      #expect(result.lines == ["\(code)", "book.mp4", "film.mp4", "in.mp4"], "\(words): \(result)")
      #expect(result.errors.contains(text), "\(words): \(result.errors)")
    }
  }
}
