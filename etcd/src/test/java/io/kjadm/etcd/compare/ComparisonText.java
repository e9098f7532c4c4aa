package io.kjadm.etcd.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The document: two parts that can be measured apart, of which either may be kept while the other
 * is made anew.
 */
final class ComparisonText {

    private static final String SECOND_PART = "## Much data, many writes";

    private ComparisonText() {}

    /** The document with this first part, and the second part that it had. */
    static String withFaults(String document, String faults) {
        int second = document.indexOf(SECOND_PART);
        return second < 0 ? faults : faults + "\n" + document.substring(second);
    }

    /** The document with this second part, and the first part that it had. */
    static String withLoads(String document, String loads) {
        int second = document.indexOf(SECOND_PART);
        String first = (second < 0 ? document : document.substring(0, second)).stripTrailing();
        return first.isEmpty() ? loads : first + "\n\n" + loads;
    }

    /**
     * @param etcd its version
     * @param machine in words: "two cores"
     * @param limitSeconds after which a join without progress, or with a faulty cluster, gives up
     */
    static String faults(List<Outcome> outcomes, String etcd, String machine, long limitSeconds) {
        int acknowledged = outcomes.stream().mapToInt(Outcome::acknowledged).sum();
        int lost = outcomes.stream().mapToInt(Outcome::lost).sum();
        return """
                # Learners compared

                What a join costs the cluster: a member added as a learner and promoted when it has caught up
                (`EtcdLearnerMode` on, the default), and one added as a voter at once (off), with the same
                faults. `e2e/bench/adders` writes this page.

                Every join ran with etcd %s on the loopback interface of one machine with %s: etcd's own
                processes, kjadm's two adders with everything that decides in a join, and a stand-in for the
                kubelet that starts etcd one second after its manifest is there.

                - A client sends 100 numbered writes a second to the old voters in turn, until 5 seconds after
                  the join; what is not acknowledged within 2 seconds has failed.
                - kjadm gives up after %d seconds without progress, half as long again in all, and 20 seconds of
                  rolling back (by default 2, 30 and 2 minutes). With longer limits some joins of a voter would
                  have succeeded, after the same gap, and gaps that last to the end would be longer.

                Of %d acknowledged writes %s lost, read back with linearizable reads; a cluster that had stopped
                was first started again from its old voters, a single one with `--force-new-cluster`.

                ![Longest time without an acknowledged write](learners-compared.svg)

                ## What the client saw, and what was left

                For each fault, the voters before the join; the longest gap between acknowledged writes, and
                failed writes; how kjadm ended; the added member, if it is listed then and no healthy voter;
                *etcd stopped*, if no linearizable read is answered then.

                %s
                - One voter: a second voter takes the quorum away until it runs. Even without a fault that takes
                  long with etcd 3.5 and 3.6: before it starts, the new etcd asks the old one something that
                  needs a leader, and there is none until it has started. A learner asks while there is one. On
                  nodes the [API server stops too](feature-gates.md#killed-after-the-add).
                - Two or three voters: a new voter that does not run costs no write, but the next voter that
                  stops does.
                - Three voters, one of them stopped: kjadm promotes when it is back, as a cluster of four with
                  one voter down tolerates no further failure. Rolling back the learner loses nothing.
                - Two voters, one of them stopped: only here are learners worse. The new voter helps, as it votes
                  at once; a learner can no longer be promoted. It takes a fault of a cluster that tolerated none
                  before the join either.
                """.formatted(
                        etcd,
                        machine,
                        limitSeconds,
                        acknowledged,
                        lost == 0 ? "none was" : lost + " were",
                        table(outcomes));
    }

    /** One line for each fault and number of voters, in the order they came, with a cell for each adder. */
    private static String table(List<Outcome> outcomes) {
        var lines = new ArrayList<List<String>>();
        var header = new ArrayList<>(List.of("fault", "voters"));
        List.of(Adder.values()).forEach(adder -> header.add(adder.title()));
        lines.add(header);
        lines.add(header.stream().map(_ -> "---").toList());
        Fault previous = null;
        for (Pair pair : pairs(outcomes)) {
            var line = new ArrayList<String>();
            line.add(pair.fault() == previous ? "" : pair.fault().title());
            line.add(Integer.toString(pair.voters()));
            for (Adder adder : Adder.values()) {
                line.add(outcomes.stream()
                        .filter(pair::covers)
                        .filter(outcome -> outcome.adder() == adder)
                        .findFirst()
                        .map(Outcome::inWords)
                        .orElse("–"));
            }
            lines.add(line);
            previous = pair.fault();
        }
        return markdown(lines);
    }

    /** A fault with a number of voters, tried with both adders. */
    record Pair(Fault fault, int voters) {
        boolean covers(Outcome outcome) {
            return outcome.fault() == fault && outcome.voters() == voters;
        }
    }

    static List<Pair> pairs(List<Outcome> outcomes) {
        return outcomes.stream()
                .map(outcome -> new Pair(outcome.fault(), outcome.voters()))
                .distinct()
                .toList();
    }

    static String growth(int voters) {
        return voters + " → " + (voters + 1);
    }

    static String loads(List<LoadedJoin> joins, String etcd, String machine) {
        var lines = new ArrayList<List<String>>();
        lines.add(row("", joins, LoadedJoin::title));
        lines.add(row("voters", joins, join -> growth(join.voters())));
        lines.add(row("database", joins, join -> size(join.databaseBytes())));
        lines.add(row("writes sent", joins, join -> join.rate() + "/s"));
        lines.add(row(
                "writes acknowledged during the join",
                joins,
                join -> String.format(Locale.ROOT, "%.0f/s", join.reached())));
        lines.add(row("add", joins, join -> Gap.words(join.phases().add())));
        lines.add(row(
                "until the member has started",
                joins,
                join -> Gap.words(join.phases().start())));
        lines.add(row(
                "until it has caught up", joins, join -> Gap.words(join.phases().catchUp())));
        lines.add(row(
                "promotion, until it is healthy",
                joins,
                join -> Gap.words(join.phases().promote())));
        lines.add(row("the whole join", joins, join -> Gap.words(join.total())));
        lines.add(row(
                "longest gap between acknowledged writes",
                joins,
                join -> join.gap().toString()));
        lines.add(row(
                "failed writes",
                joins,
                join -> "%d of %d".formatted(join.failed(), join.failed() + join.acknowledged())));
        lines.add(row("acknowledged and lost", joins, join -> Integer.toString(join.lost())));
        return """
                %s

                Joins of a learner (`e2e/bench/adders --heavy`) with etcd %s on a machine with %s, everything on
                one disk. The large database has values of 512 KiB and a compacted log: the new member gets a
                snapshot.

                %s""".formatted(SECOND_PART, etcd, machine, columns(lines));
    }

    private static String size(long bytes) {
        return bytes < 1 << 20 ? "%d KiB".formatted(bytes >> 10) : "%d MiB".formatted(bytes >> 20);
    }

    private static List<String> row(
            String title, List<LoadedJoin> joins, Function<LoadedJoin, String> cell) {
        var line = new ArrayList<>(List.of(title));
        joins.forEach(join -> line.add(cell.apply(join)));
        return line;
    }

    private static String markdown(List<List<String>> lines) {
        return lines.stream()
                .map(line -> "| " + String.join(" | ", line) + " |\n")
                .collect(Collectors.joining());
    }

    /** A block of text with aligned columns. */
    private static String columns(List<List<String>> lines) {
        var widths = new ArrayList<Integer>();
        for (int column = 0; column < lines.getFirst().size(); column++) {
            int at = column;
            widths.add(
                    lines.stream().mapToInt(line -> line.get(at).length()).max().orElse(0));
        }
        var text = new StringBuilder("```\n");
        for (List<String> line : lines) {
            var padded = new StringBuilder();
            for (int column = 0; column < line.size(); column++) {
                padded.append(line.get(column))
                        .repeat(" ", widths.get(column) - line.get(column).length() + 3);
            }
            text.append(padded.toString().stripTrailing()).append('\n');
        }
        return text.append("```\n").toString();
    }
}
