package io.kjadm.etcd.auto;

import static io.kjadm.etcd.auto.WrittenLog.A;
import static io.kjadm.etcd.auto.WrittenLog.B;
import static io.kjadm.etcd.auto.WrittenLog.C;
import static io.kjadm.etcd.auto.WrittenLog.D;
import static io.kjadm.etcd.auto.WrittenLog.form;
import static io.kjadm.etcd.auto.WrittenLog.member;
import static io.kjadm.etcd.auto.WrittenLog.seat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.SetUp;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.EntryBody.Adopt;
import io.kjadm.etcd.auto.EntryBody.Claim;
import io.kjadm.etcd.auto.EntryBody.Observed;
import io.kjadm.etcd.auto.Verdict.No;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A cluster that others have set up, and the machines that say which voter is theirs. */
class AdoptedClusterTest {

    private static final EtcdView HEALTHY =
            new EtcdView.Answers(AutoScene.health(members(A, B, C), List.of()), WrittenLog.CLUSTER);

    private static List<Member> members(MachineId... machines) {
        return Stream.of(machines).map(it -> AutoScene.member(it, false)).toList();
    }

    private static Seat unclaimed(MachineId machine) {
        Seat seat = seat(machine);
        return new Seat(
                seat.id(), seat.name(), Optional.empty(), seat.peerUrls(), seat.clientUrls());
    }

    private static Adopt adopt(MachineId... machines) {
        return new Adopt(
                WrittenLog.CLUSTER,
                Stream.of(machines).map(AdoptedClusterTest::unclaimed).toList());
    }

    private static WrittenLog adopted() {
        return WrittenLog.adopting().with(Optional.empty(), adopt(A, B, C));
    }

    private static Claim claim(MachineId of) {
        return new Claim(1, member(of));
    }

    /** A member of the cluster that runs, and that the automatic mode has not set up. */
    private static AutoScene machine(MachineId self, WrittenLog log) {
        return AutoScene.of(self, log).holding(0).provided(true, true).etcd(HEALTHY);
    }

    // ---- the log

    @Test
    void anAdoptedClusterIsOpen() {
        WrittenLog log = adopted();
        assertEquals(Phase.OPEN, log.phase());
        assertEquals(1, log.charter().generation());
        assertEquals(Optional.of(WrittenLog.CLUSTER), log.charter().cluster());
        assertEquals(Optional.empty(), log.charter().founder());
        assertEquals(3, log.charter().voters().size());
    }

    @Test
    void noMachineFoundsAClusterInsteadOfTheAdopted() {
        WrittenLog.adopting().refuses(A, form(1, A));
        adopted().refuses(A, form(2, A));
    }

    @Test
    void theClusterOfTheClusterFileIsAdoptedOnce() {
        Adopt other = new Adopt("c2", List.of(unclaimed(A)));
        WrittenLog log = WrittenLog.adopting();
        log.refuses(log.entry(Optional.empty(), other));
        adopted().refuses(adopted().entry(Optional.empty(), adopt(A, B, C)));
        WrittenLog seeded = WrittenLog.seeded(3);
        seeded.refuses(seeded.entry(Optional.empty(), adopt(A, B, C)));
    }

    @Test
    void votersAreAdoptedOnceAndWithoutMachines() {
        WrittenLog log = WrittenLog.adopting();
        log.refuses(log.entry(Optional.empty(), adopt()));
        log.refuses(log.entry(Optional.empty(), adopt(A, A)));
        log.refuses(log.entry(Optional.empty(), new Adopt(WrittenLog.CLUSTER, List.of(seat(A)))));
    }

    @Test
    void aMachineClaimsOneVoterThatNoOtherHas() {
        WrittenLog log = adopted().with(A, claim(A));
        assertEquals(List.of(seat(A), unclaimed(B), unclaimed(C)), log.charter().voters());
        log.refuses(A, claim(B));
        log.refuses(D, claim(A));
        log.refuses(D, claim(D));
        log.refuses(B, new Claim(2, member(B)));
        log.refuses(log.entry(Optional.empty(), claim(B)));
        log.paused().refuses(B, claim(B));
        log.allows(B, claim(B));
    }

    @Test
    void anAdoptedClusterEndsByTheWordOfAnOperatorAlone() {
        WrittenLog log = adopted().with(A, claim(A)).with(B, claim(B)).ending(A, B, C);
        assertEquals(Phase.ENDING, log.phase());
        WrittenLog next = log.fenced(A).with(A, form(2, A));
        assertEquals(Optional.of(A), next.charter().founder());
    }

    // ---- the rules

    @Test
    void beforeItIsInTheLogMachinesWait() {
        AutoScene.of(D, WrittenLog.adopting()).waits(Rule.SEED, WaitCode.SEED);
    }

    @Test
    void aMachineClaimsItsMemberWhileThatIsHealthy() {
        machine(B, adopted()).appends(Rule.CLAIM, claim(B));
        machine(B, adopted())
                .etcd(new EtcdView.Answers(
                        AutoScene.health(members(A, B, C), List.of(B)), WrittenLog.CLUSTER))
                .waits(Rule.CLAIM, WaitCode.READY);
        machine(B, adopted()).unit(UnitState.STOPPED).waits(Rule.CLAIM, WaitCode.READY);
        machine(B, adopted()).notSetUp().waits(Rule.CLAIM, WaitCode.READY);
        machine(B, adopted().paused()).waits(Rule.PAUSED, WaitCode.PAUSED);
    }

    @Test
    void whatAForeignMemberHasOtherwiseIsToldAndOneOfKjadmIsStarted() {
        AutoScene foreign = machine(B, adopted()).notSetUp().lacks("etcd.env has other URLs");
        foreign.waits(Rule.CLAIM, WaitCode.READY);
        assertEquals(
                "change that on this machine, then run 'systemctl restart etcd'", next(foreign));
        AutoScene own = machine(B, adopted()).unit(UnitState.STOPPED).lacks("it has a member");
        own.waits(Rule.CLAIM, WaitCode.READY);
        assertEquals("run 'systemctl start etcd'", next(own));
    }

    /** The machine that changes members may be gone; only a machine with a voter ends its change. */
    @Test
    void aMachineClaimsItsMemberWhileAnotherOneChangesMembers() {
        WrittenLog log = adopted();
        WrittenLog joining = log.with(D, log.change(D));
        machine(B, joining).appends(Rule.CLAIM, claim(B));
        WrittenLog claimed = joining.with(B, claim(B));
        claimed.allows(D, claimed.done(seat(D)));
    }

    /** It has the same data, and etcd of the original is healthy. */
    @Test
    void aCopyAtAnotherAddressClaimsNothing() {
        machine(D, adopted())
                .data(new Data.Held(0, Optional.of(member(B))))
                .waits(Rule.CLAIM, WaitCode.READY);
    }

    @Test
    void aMachineWithoutADataDirectoryOfTheClusterClaimsNothing() {
        AutoScene.of(D, adopted()).etcd(HEALTHY).passes(Rule.CLAIM);
        machine(B, adopted().with(B, claim(B))).passes(Rule.CLAIM);
    }

    /** A person has joined it in a pause. */
    @Test
    void aMemberThatAPersonHasAddedIsClaimed() {
        WrittenLog log = WrittenLog.open();
        Observed observed = new Observed(List.of(seat(A), seat(B), unclaimed(C)));
        machine(C, log.with(A, observed)).appends(Rule.CLAIM, claim(C));
    }

    @Test
    void whatClientsNeedIsWrittenByTheCommandThatHasSetUpTheMember() {
        WrittenLog log = adopted().with(B, claim(B));
        machine(B, log)
                .holding(1)
                .provided(true, false)
                .acts(Rule.CLIENTS, new Step.Clients(MemberRules.endpoints(log.charter())));
        machine(B, log)
                .holding(1)
                .setUpBy(SetUp.INIT)
                .provided(true, false)
                .acts(Rule.CLIENTS, new Step.Clients(List.of()));
    }

    /** Nothing shows which machine runs it: a person removes it. */
    @Test
    void aVoterThatNoMachineHasClaimedIsNotReplaced() {
        WrittenLog log = adopted().with(A, claim(A)).with(B, claim(B));
        AutoScene scene = machine(A, log)
                .holding(1)
                .etcd(new EtcdView.Answers(
                        AutoScene.health(members(A, B, C), List.of(C)), WrittenLog.CLUSTER))
                .reports(D)
                .held(Rule.REMOVE, Duration.ofDays(1));
        assertInstanceOf(No.class, scene.verdict(Rule.REMOVE));
        scene.waits(Rule.HEALTH, WaitCode.HEALTHY);
        assertEquals(
                "start etcd and 'kjadm etcd auto STORE' on its machine; if that is lost, run 'kjadm etcd auto pause', then 'kjadm etcd member remove %s'"
                        .formatted(member(C)),
                next(scene));
    }

    private static String next(AutoScene scene) {
        return assertInstanceOf(Decision.Wait.class, scene.outcome().decision()).next();
    }
}
