package io.kjadm.etcd.auto;

import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.Sha256;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.Seen;
import io.kjadm.etcd.auto.AutoFacts.Self;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.AutoFacts.Youth;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.Decision.Append;
import io.kjadm.etcd.auto.EntryBody.Abandon;
import io.kjadm.etcd.auto.EntryBody.Form;
import io.kjadm.etcd.auto.EntryBody.Ready;
import io.kjadm.etcd.auto.Step.Init;
import io.kjadm.etcd.auto.Verdict.Applies;
import io.kjadm.etcd.auto.Verdict.Later;
import io.kjadm.etcd.auto.Verdict.No;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** How a cluster begins: from blank machines to one that clients may use. */
final class FormRules {

    /** A report of a machine that waits is written again within 10 s. */
    static final Duration FRESH = Duration.ofSeconds(30);
    /** A reboot takes minutes, and a founder that comes back resumes. */
    static final Duration FOUNDER_GONE = Duration.ofMinutes(10);
    /** Machines take minutes, not hours, from the seed to their first start. */
    static final Duration YOUNG = Duration.ofHours(1);
    /** A machine with a member writes a report each minute: two of them, and time to spare. */
    static final Duration WATCH = Duration.ofSeconds(150);

    private static final Duration FORM_RANK = Duration.ofSeconds(3);
    private static final Duration ABANDON_RANK = Duration.ofSeconds(20);

    private FormRules() {}

    static Verdict found(AutoFacts facts) {
        Charter charter = facts.charter();
        Self self = facts.self();
        if (charter.founder().filter(self.id()::equals).isEmpty()
                || charter.phase() != Phase.FORMING) {
            return new No("this machine does not found the cluster");
        }
        Form form = charter.form().orElseThrow();
        if (serves(facts) && facts.local().provided().ca()) {
            return new No("the first member serves");
        }
        if (facts.local().data() instanceof Data.Lost(String why)) {
            return abandons(charter, why);
        }
        if (!form.seat().peerUrls().contains(self.peerUrl())) {
            return elsewhere(facts, form);
        }
        // who joins may vote before that is written
        boolean more = charter.voters().size() > 1 || charter.change().isPresent();
        boolean none = facts.local().data() instanceof Data.Blank
                || facts.local().data() instanceof Data.Held(int _, var member) && member.isEmpty();
        if (more && none) {
            // it served when the other machine joined: it must not begin again by the same IDs
            return abandons(charter, "the data of the first member are lost");
        }
        if (more && facts.local().setUp()) {
            return facts.memory().held(Rule.FOUND).compareTo(FOUNDER_GONE) < 0
                    ? StoreRules.wait(
                            WaitCode.QUORUM,
                            "the first members have no quorum, and no client uses their cluster",
                            "start etcd on the other machine; after %d min another cluster is founded"
                                    .formatted(FOUNDER_GONE.toMinutes()))
                    : abandons(charter, "the first members have no quorum");
        }
        if (facts.local().data() instanceof Data.Unreadable(String why)) {
            return StoreRules.wait(WaitCode.DISK, why, "make the data directory readable");
        }
        boolean others = readyMachines(facts).stream()
                        .filter(machine -> !machine.equals(self.id()))
                        .count()
                >= charter.seed().spec().formWith();
        boolean named = charter.ending().flatMap(end -> end.order().founder()).isPresent();
        if (none && others && !named && MemberRules.givesUp(facts, Init.class)) {
            // etcd has not started here, so another machine can found the cluster
            return abandons(charter, facts.memory().failed().orElseThrow().text());
        }
        Optional<List<String>> data = RestoreRules.data(facts);
        return data.isEmpty()
                ? StoreRules.wait(
                        WaitCode.DISK,
                        "the data that generation %d begins with are not on this machine"
                                .formatted(form.generation()),
                        "name another source: " + RestoreRules.APPROVE)
                : MemberRules.attempt(
                        facts,
                        new Init(self.member(), form.token(), data.get()),
                        "this machine founds generation %d".formatted(form.generation()));
    }

    /** A copy of the founder must not found beside it; a founder whose address has changed cannot. */
    private static Verdict elsewhere(AutoFacts facts, Form form) {
        String why = "the member of the founder is to be at %s, and this machine is at %s"
                .formatted(form.seat().peerUrls(), facts.self().peerUrl());
        return facts.memory().held(Rule.FOUND).compareTo(FOUNDER_GONE) < 0
                ? StoreRules.wait(
                        WaitCode.FOUNDER,
                        why,
                        "if this machine is a copy, run 'systemctl disable --now kjadm-etcd-auto' on it; after %d min another cluster is founded"
                                .formatted(FOUNDER_GONE.toMinutes()))
                : abandons(facts.charter(), why);
    }

    private static Verdict abandons(Charter charter, String why) {
        return charter.pause().isPresent()
                ? new No("the automatic mode is paused")
                : new Applies(new Append(
                        new Abandon(charter.generation()),
                        why + ", and no client uses the cluster",
                        ""));
    }

    /** Whether the member of this machine responds, and its cluster has a leader. */
    private static boolean serves(AutoFacts facts) {
        return facts.local().setUp()
                && facts.etcd() instanceof EtcdView.Answers(var health, var cluster)
                && facts.charter().cluster().filter(cluster::equals).isPresent()
                && facts.charter()
                        .seat(facts.self().id())
                        .flatMap(seat -> health.find(seat.id()))
                        .filter(health::healthy)
                        .isPresent();
    }

    static Verdict form(AutoFacts facts) {
        Charter charter = facts.charter();
        if (charter.phase() != Phase.NONE) {
            return new No("generation %d is there".formatted(charter.generation()));
        }
        if (!blank(facts) || !facts.local().readiness().ok()) {
            return new No("this machine is not ready to found a cluster");
        }
        Optional<Verdict> failed = MemberRules.holdsOff(facts, Init.class);
        if (failed.isPresent()) {
            return failed.get();
        }
        List<MachineId> ready = readyMachines(facts);
        int needed = charter.seed().spec().formWith();
        if (ready.size() < needed) {
            return new No("%d of %d machines are ready".formatted(ready.size(), needed));
        }
        if (!ready.contains(facts.self().id())) {
            return new No("the report of this machine is not in the store");
        }
        Optional<String> doubt = doubt(facts);
        if (doubt.isPresent()) {
            return new No(doubt.get());
        }
        Form form = founding(facts);
        return new Later(
                FORM_RANK.multipliedBy(ready.indexOf(facts.self().id())),
                new Append(
                        form,
                        "%d machines are ready, %d are needed".formatted(ready.size(), needed),
                        new Init(facts.self().member(), form.token()).command()));
    }

    /** The next generation, founded by this machine. */
    static Form founding(AutoFacts facts) {
        Self self = facts.self();
        int generation = facts.charter().generation() + 1;
        String token = token(facts.charter().seed().uid(), generation, self.id());
        MemberIds ids = MemberIds.ofFounder(token, List.of(self.peerUrl()));
        Seat seat = new Seat(
                ids.memberId(),
                self.member().name(),
                Optional.of(self.id()),
                List.of(self.peerUrl()),
                List.of(self.clientUrl()));
        return new Form(generation, token, self.id(), seat, ids.clusterId());
    }

    /** The same whenever it is asked for, and different for every founder and generation. */
    private static String token(String uid, int generation, MachineId founder) {
        String text = "%s %d %s".formatted(uid, generation, founder);
        byte[] digest = Sha256.digest().digest(text.getBytes(StandardCharsets.UTF_8));
        return "kjadm-" + HexFormat.of().formatHex(digest, 0, 8);
    }

    /**
     * Why the log may have been emptied beside a cluster that lives. A machine with a member writes a
     * report each minute, and tells the slot that it has read.
     */
    private static Optional<String> doubt(AutoFacts facts) {
        if (!(facts.store() instanceof StoreView.Answers(Youth youth, var _))) {
            return Optional.of("the store does not respond");
        }
        long tail = facts.charter().tail().slot();
        if (youth.newest() > tail) {
            return Optional.of("a machine has read slot %d, the log ends at slot %d"
                    .formatted(youth.newest(), tail));
        }
        // what the log holds does not matter: a store that was put back may hold a part of it
        boolean young =
                youth.sinceSeed().compareTo(YOUNG) < 0 || youth.watched().compareTo(WATCH) >= 0;
        return young
                ? Optional.empty()
                : Optional.of(
                        "the cluster file is older than %d min, or was put back: watching for %d s whether a machine knows a log"
                                .formatted(YOUNG.toMinutes(), WATCH.toSeconds()));
    }

    /** Whether the machine that founds the cluster has not reported for so long that others may. */
    static boolean founderIsGone(AutoFacts facts) {
        return facts.charter().phase() == Phase.FORMING
                && facts.charter()
                        .founder()
                        .map(facts.machines()::get)
                        .filter(seen -> seen.still().compareTo(FOUNDER_GONE) >= 0)
                        .isPresent();
    }

    static Verdict abandon(AutoFacts facts) {
        Charter charter = facts.charter();
        if (charter.phase() != Phase.FORMING) {
            return new No("no cluster is forming");
        }
        MachineId founder = charter.founder().orElseThrow();
        if (founder.equals(facts.self().id())) {
            return new No("this machine founds the cluster");
        }
        Seen seen = facts.machines().get(founder);
        if (seen != null && seen.still().compareTo(FOUNDER_GONE) < 0) {
            return new No("the founder %s reports".formatted(founder));
        }
        List<MachineId> able = facts.machines().keySet().stream()
                .filter(id -> !id.equals(founder))
                .sorted()
                .toList();
        Duration rank =
                ABANDON_RANK.multipliedBy(Math.max(0, able.indexOf(facts.self().id())));
        return new Later(
                seen == null ? FOUNDER_GONE.plus(rank) : rank,
                new Append(
                        new Abandon(charter.generation()),
                        "the founder %s has not reported for %d min, and no client uses its cluster"
                                .formatted(founder, FOUNDER_GONE.toMinutes()),
                        ""));
    }

    static Verdict machines(AutoFacts facts) {
        Charter charter = facts.charter();
        if (charter.phase() == Phase.NONE) {
            if (!facts.local().readiness().ok()) {
                return StoreRules.wait(
                        WaitCode.READY,
                        "this machine is not ready: "
                                + String.join(", ", facts.local().readiness().missing()),
                        "");
            }
            List<MachineId> ready = readyMachines(facts);
            int needed = charter.seed().spec().formWith();
            String others = facts.machines().values().stream()
                    .filter(seen -> !ready.contains(seen.report().id()))
                    .map(FormRules::notReady)
                    .sorted()
                    .collect(Collectors.joining("; "));
            String why = !facts.machines().containsKey(facts.self().id())
                    ? "the report of this machine is not in the store yet"
                    : ready.size() >= needed
                            ? doubt(facts).orElse("another machine founds the cluster")
                            : "%d of %d machines are ready".formatted(ready.size(), needed);
            return StoreRules.wait(
                    WaitCode.MACHINES,
                    others.isEmpty() ? why : why + "; " + others,
                    ready.size() >= needed ? "" : "run 'kjadm etcd auto STORE' on more machines");
        }
        boolean founding = charter.phase() == Phase.FORMING
                && !charter.founder().filter(facts.self().id()::equals).isPresent()
                && !(facts.etcd() instanceof EtcdView.Answers);
        return founding
                ? StoreRules.wait(
                        WaitCode.FOUNDER,
                        "machine %s founds the cluster%s"
                                .formatted(
                                        charter.founder().orElseThrow(),
                                        charter.seat(charter.founder().orElseThrow())
                                                .map(seat -> " with member " + seat.name())
                                                .orElse("")),
                        "")
                : new No("the first member serves");
    }

    private static String notReady(Seen seen) {
        MachineReport report = seen.report();
        String why = seen.age().compareTo(FRESH) > 0
                ? "has not reported for %d s".formatted(seen.age().toSeconds())
                : report.ready().ok()
                        ? "has a member"
                        : String.join(", ", report.ready().missing());
        return "%s %s".formatted(report.member().hostname(), why);
    }

    static Verdict ready(AutoFacts facts) {
        Charter charter = facts.charter();
        if (charter.phase() != Phase.FORMING
                || charter.founder().filter(facts.self().id()::equals).isEmpty()) {
            return new No("this machine does not found the cluster");
        }
        int voters = charter.voters().size();
        int needed = charter.seed().spec().formWith();
        if (voters < needed) {
            return new No("%d of %d voters".formatted(voters, needed));
        }
        boolean agrees = facts.etcd() instanceof EtcdView.Answers(var health, var _)
                && health.isLed()
                && health.hasQuorum()
                && health.healthyVoters() >= needed
                && charter.members().difference(health).isEmpty();
        return agrees
                ? new Applies(new Append(
                        new Ready(charter.generation()),
                        "%d voters are there, and %d healthy ones are needed"
                                .formatted(voters, needed),
                        ""))
                : new No("etcd does not list enough voters of the log as healthy");
    }

    static boolean blank(AutoFacts facts) {
        return facts.local().data() instanceof Data.Blank;
    }

    /** In the order of their IDs; this machine counts by what it sees itself. */
    static List<MachineId> readyMachines(AutoFacts facts) {
        MachineId self = facts.self().id();
        return facts.machines().entrySet().stream()
                .filter(seen -> seen.getKey().equals(self)
                        ? blank(facts) && facts.local().readiness().ok()
                        : seen.getValue().age().compareTo(FRESH) <= 0
                                && seen.getValue().report().ready().ok()
                                && seen.getValue().report().member().id().isEmpty())
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }
}
