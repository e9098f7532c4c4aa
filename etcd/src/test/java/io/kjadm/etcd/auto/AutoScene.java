package io.kjadm.etcd.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.auto.AutoDecider.Asked;
import io.kjadm.etcd.auto.AutoDecider.Outcome;
import io.kjadm.etcd.auto.AutoFacts.Backup;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.Failed;
import io.kjadm.etcd.auto.AutoFacts.Local;
import io.kjadm.etcd.auto.AutoFacts.Memory;
import io.kjadm.etcd.auto.AutoFacts.Provided;
import io.kjadm.etcd.auto.AutoFacts.Seen;
import io.kjadm.etcd.auto.AutoFacts.Self;
import io.kjadm.etcd.auto.AutoFacts.SetUp;
import io.kjadm.etcd.auto.AutoFacts.Stops;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.AutoFacts.Youth;
import io.kjadm.etcd.auto.Decision.Act;
import io.kjadm.etcd.auto.Decision.Append;
import io.kjadm.etcd.auto.Decision.Wait;
import io.kjadm.etcd.auto.MachineReport.Doing;
import io.kjadm.etcd.auto.MachineReport.Floor;
import io.kjadm.etcd.auto.MachineReport.Known;
import io.kjadm.etcd.auto.MachineReport.Life;
import io.kjadm.etcd.auto.MachineReport.OfEtcd;
import io.kjadm.etcd.auto.MachineReport.Readiness;
import io.kjadm.etcd.auto.MachineReport.Sight;
import io.kjadm.etcd.auto.Step.Own;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The facts of one machine. It is blank and ready, its store answers and is new, and no other machine
 * reports, until a test says otherwise.
 */
final class AutoScene {

    static final Backup BACKUP = new Backup(new Step.Save("/backups", "age1"), "/backup.identity");

    private final MachineId self;
    private Charter charter;
    private StoreView store = new StoreView.Answers(
            new Youth(Duration.ofMinutes(1), Duration.ofMinutes(1), 0), Optional.of(Duration.ZERO));
    private final Map<MachineId, Seen> machines = new HashMap<>();
    private Data data = new Data.Blank();
    private UnitState unit = UnitState.ABSENT;
    private SetUp setUp = SetUp.NONE;
    private Readiness readiness = new Readiness(List.of());
    private Provided provided = new Provided(false, false, Optional.empty());
    private Optional<EntryBody.Fenced> fenced = Optional.empty();
    private Stops stops = Stops.none();
    private EtcdView etcd = new EtcdView.Silent("there is none to ask");
    private final Map<Rule, Duration> held = new EnumMap<>(Rule.class);
    private Optional<Failed> failed = Optional.empty();
    private Duration paused = Duration.ZERO;
    private Optional<Duration> saved = Optional.of(Duration.ZERO);
    private MachineId address;

    private AutoScene(MachineId self, Charter charter) {
        this.self = self;
        this.address = self;
        this.charter = charter;
        reports(self);
    }

    /** What a machine sees that has read a log. */
    static AutoScene of(MachineId self, WrittenLog log) {
        return new AutoScene(self, log.charter());
    }

    /** The same of a machine with a voter that is up, as all others are. */
    static AutoScene ofVoter(MachineId self, WrittenLog log) {
        return of(self, log).holding(log.charter().generation()).etcd(healthy(log));
    }

    // ---- the store

    AutoScene store(StoreView view) {
        store = view;
        return this;
    }

    AutoScene youth(Duration sinceSeed, Duration watched, long newest) {
        return store(new StoreView.Answers(
                new Youth(sinceSeed, watched, newest), Optional.of(Duration.ZERO)));
    }

    /** A blank machine reports that it is ready. */
    AutoScene reports(MachineId machine) {
        return reports(machine, Duration.ofSeconds(1), Optional.empty());
    }

    /** A machine has last reported at that time before. */
    AutoScene reports(MachineId machine, Duration age) {
        return reports(machine, age, Optional.empty());
    }

    /** A machine that has a member waits for something. */
    AutoScene waiting(MachineId machine, WaitCode code) {
        return waiting(machine, code, Duration.ofSeconds(1));
    }

    /** A machine without a member waits for something. */
    AutoScene blankWaiting(MachineId machine, WaitCode code) {
        return reports(machine, Duration.ofSeconds(1), Optional.empty(), Optional.of(code));
    }

    /** The same, and it has last reported at that time before. */
    AutoScene waiting(MachineId machine, WaitCode code, Duration age) {
        return reports(machine, age, Optional.of(WrittenLog.member(machine)), Optional.of(code));
    }

    /** A machine reports that it has a member. */
    AutoScene reports(MachineId machine, Duration age, Optional<MemberId> member) {
        return reports(machine, age, member, Optional.empty());
    }

    private AutoScene reports(
            MachineId machine, Duration age, Optional<MemberId> member, Optional<WaitCode> code) {
        return reports(machine, age, member, code, Optional.empty());
    }

    /** A machine reports what its member has answered. */
    AutoScene saw(MachineId machine, Duration age, boolean served, long index) {
        return reports(
                machine,
                age,
                Optional.of(WrittenLog.member(machine)),
                Optional.empty(),
                Optional.of(new Sight(served, index)));
    }

    /** A machine that has a member runs a command. */
    AutoScene running(MachineId machine, String command) {
        waiting(machine, WaitCode.LOCAL);
        MachineReport idle = machines.get(machine).report();
        MachineReport runs = new MachineReport(
                idle.id(),
                idle.life(),
                idle.known(),
                idle.member(),
                idle.ready(),
                new Doing(Optional.of(command), Optional.empty(), ""));
        machines.put(machine, new Seen(runs, Duration.ZERO, Duration.ZERO));
        return this;
    }

    private AutoScene reports(
            MachineId machine,
            Duration age,
            Optional<MemberId> member,
            Optional<WaitCode> code,
            Optional<Sight> sight) {
        MachineReport report = new MachineReport(
                machine,
                new Life(1, 1, "kjadm 0.1.0"),
                new Known(0, ""),
                new OfEtcd(
                        "host" + machine.digits(),
                        WrittenLog.address(machine),
                        UnitState.ABSENT,
                        member,
                        0,
                        Floor.NONE),
                new Readiness(member.isPresent() ? List.of("it has a member") : List.of()),
                new Doing(Optional.empty(), code, ""),
                sight);
        machines.put(machine, new Seen(report, age, age));
        return this;
    }

    /** No report of that machine is in the store. */
    AutoScene silent(MachineId machine) {
        machines.remove(machine);
        return this;
    }

    // ---- this machine

    /** Its member is set up and runs. */
    AutoScene holding(int generation) {
        setUp = charter.founder().filter(self::equals).isPresent() ? SetUp.INIT : SetUp.JOIN;
        unit = UnitState.ACTIVE;
        return data(new Data.Held(generation, Optional.of(WrittenLog.member(self))));
    }

    AutoScene data(Data what) {
        data = what;
        return this;
    }

    AutoScene stops(Stops what) {
        stops = what;
        return this;
    }

    AutoScene unit(UnitState state) {
        unit = state;
        return this;
    }

    AutoScene setUpBy(SetUp command) {
        setUp = command;
        return this;
    }

    AutoScene notSetUp() {
        setUp = SetUp.NONE;
        return this;
    }

    AutoScene busy(String who) {
        stops = new Stops(Optional.of(who), Optional.empty(), Optional.empty());
        return this;
    }

    AutoScene lacks(String what) {
        readiness = new Readiness(List.of(what));
        return this;
    }

    AutoScene provided(boolean ca, boolean clients) {
        provided = new Provided(ca, clients, Optional.empty());
        return this;
    }

    /** A certificate ends soon. */
    AutoScene due(String why) {
        provided = new Provided(true, true, Optional.of(why));
        return this;
    }

    /** Its member was stopped for good, and the machine is blank. */
    AutoScene fenced(EntryBody.Fenced what) {
        setUp = SetUp.NONE;
        unit = UnitState.ABSENT;
        fenced = Optional.of(what);
        return data(new Data.Blank());
    }

    // ---- etcd

    AutoScene etcd(EtcdView view) {
        etcd = view;
        return this;
    }

    /** All voters of a log are healthy. */
    static EtcdView healthy(WrittenLog log) {
        return new EtcdView.Answers(health(voters(log), List.of()), WrittenLog.CLUSTER);
    }

    /** As the log has them. */
    static List<Member> voters(WrittenLog log) {
        return log.charter().voters().stream()
                .map(seat -> member(seat.machine().orElseThrow(), false))
                .toList();
    }

    /** A member with that of others. */
    static List<Member> and(List<Member> members, Member more) {
        List<Member> all = new ArrayList<>(members);
        all.add(more);
        return all;
    }

    static Member member(MachineId machine, boolean learner) {
        Seat seat = WrittenLog.seat(machine);
        return new Member(seat.id(), seat.name(), seat.peerUrls(), seat.clientUrls(), learner);
    }

    /** The first member leads, and all but those that are down answer. */
    static EtcdHealth health(List<Member> members, List<MachineId> down) {
        Map<MemberId, MemberStatus> statuses = new HashMap<>();
        Map<MemberId, String> silences = new HashMap<>();
        for (Member member : members) {
            if (down.stream().anyMatch(it -> WrittenLog.member(it).equals(member.id()))) {
                silences.put(member.id(), "connection refused");
            } else {
                statuses.put(member.id(), status(member, members.getFirst().id()));
            }
        }
        return new EtcdHealth(members, statuses, silences);
    }

    /** The same with members that have another version. */
    static EtcdHealth health(
            List<Member> members, List<MachineId> down, EtcdVersion version, List<MachineId> of) {
        EtcdHealth health = health(members, down);
        Map<MemberId, MemberStatus> statuses = new HashMap<>(health.statuses());
        for (MachineId machine : of) {
            statuses.computeIfPresent(
                    WrittenLog.member(machine),
                    (id, status) -> new MemberStatus(
                            new MemberIds(status.clusterId(), id),
                            status.leaderId(),
                            MemberStatus.Versions.of(version),
                            status.database(),
                            status.raft(),
                            status.learner(),
                            status.errors()));
        }
        return new EtcdHealth(members, statuses, health.silences());
    }

    /** Every member answers, and none knows a leader. */
    static EtcdHealth leaderless(List<Member> members) {
        Map<MemberId, MemberStatus> statuses = new HashMap<>();
        members.forEach(member -> statuses.put(member.id(), status(member, MemberId.NONE)));
        return new EtcdHealth(members, statuses, Map.of());
    }

    private static MemberStatus status(Member member, MemberId leader) {
        return new MemberStatus(
                member.id(),
                WrittenLog.CLUSTER,
                leader,
                MemberStatus.Versions.of(WrittenLog.VERSION),
                1 << 20,
                2,
                100,
                100,
                member.learner(),
                List.of());
    }

    // ---- the memory

    AutoScene held(Rule rule, Duration since) {
        held.put(rule, since);
        return this;
    }

    AutoScene failed(Step step, Duration tryAgain) {
        return failed(step, 2, tryAgain);
    }

    /** It has failed so often. */
    AutoScene failed(Step step, int times, Duration tryAgain) {
        failed = Optional.of(new Failed(step, "no route to host", times, tryAgain));
        return this;
    }

    /** This machine is a copy, or has got another address: that of another machine. */
    AutoScene at(MachineId other) {
        address = other;
        return this;
    }

    /** That long ago this machine has saved a snapshot; a scene has one that was just saved. */
    AutoScene saved(Optional<Duration> ago) {
        saved = ago;
        return this;
    }

    AutoScene pausedFor(Duration since) {
        paused = since;
        return this;
    }

    // ---- what is decided

    AutoFacts facts() {
        return new AutoFacts(
                new Self(
                        self,
                        own(),
                        WrittenLog.peerUrl(address),
                        WrittenLog.clientUrl(address),
                        BACKUP),
                store,
                charter,
                machines,
                new Local(data, unit, setUp, readiness, provided, fenced, stops),
                etcd,
                new Memory(held, failed, paused, saved, Instant.EPOCH));
    }

    Own own() {
        return own(self);
    }

    static Own own(MachineId machine) {
        return new Own(
                WrittenLog.name(machine),
                WrittenLog.address(machine),
                WrittenLog.VERSION,
                List.of("--ca-file=/etc/kjadm/ca.crt"));
    }

    Outcome outcome() {
        return new AutoDecider().decide(facts());
    }

    /** What the rule says, whether or not it is its turn. */
    Verdict verdict(Rule rule) {
        return outcome().verdicts().stream()
                .filter(asked -> asked.rule() == rule)
                .map(Asked::verdict)
                .findFirst()
                .orElseThrow();
    }

    /** The rule decides: the machine waits for that. */
    void waits(Rule rule, WaitCode code) {
        assertEquals(rule, outcome().rule());
        Wait wait = assertDecision(Wait.class);
        assertEquals(code, wait.code());
    }

    /** The rule decides: that command is run. */
    void acts(Rule rule, Step step) {
        assertEquals(rule, outcome().rule());
        assertEquals(step, assertDecision(Act.class).step());
    }

    /** The rule decides: that entry is written. */
    void appends(Rule rule, EntryBody body) {
        assertEquals(rule, outcome().rule());
        assertEquals(body, assertDecision(Append.class).body());
    }

    /** The conditions of the rule do not hold. */
    void passes(Rule rule) {
        assertFalse(outcome().holding().contains(rule), () -> verdict(rule).toString());
    }

    private <T extends Decision> T assertDecision(Class<T> kind) {
        Decision decision = outcome().decision();
        assertEquals(kind, decision.getClass(), decision::toString);
        return kind.cast(decision);
    }
}
