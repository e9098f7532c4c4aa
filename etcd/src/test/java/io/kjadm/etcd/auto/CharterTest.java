package io.kjadm.etcd.auto;

import static io.kjadm.etcd.auto.WrittenLog.A;
import static io.kjadm.etcd.auto.WrittenLog.B;
import static io.kjadm.etcd.auto.WrittenLog.C;
import static io.kjadm.etcd.auto.WrittenLog.CLUSTER;
import static io.kjadm.etcd.auto.WrittenLog.D;
import static io.kjadm.etcd.auto.WrittenLog.UID;
import static io.kjadm.etcd.auto.WrittenLog.complete;
import static io.kjadm.etcd.auto.WrittenLog.entry;
import static io.kjadm.etcd.auto.WrittenLog.form;
import static io.kjadm.etcd.auto.WrittenLog.forming;
import static io.kjadm.etcd.auto.WrittenLog.joining;
import static io.kjadm.etcd.auto.WrittenLog.open;
import static io.kjadm.etcd.auto.WrittenLog.pair;
import static io.kjadm.etcd.auto.WrittenLog.seat;
import static io.kjadm.etcd.auto.WrittenLog.seeded;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.Entry.Place;
import io.kjadm.etcd.auto.EntryBody.Abandon;
import io.kjadm.etcd.auto.EntryBody.Change;
import io.kjadm.etcd.auto.EntryBody.Done;
import io.kjadm.etcd.auto.EntryBody.Form;
import io.kjadm.etcd.auto.EntryBody.Pause;
import io.kjadm.etcd.auto.EntryBody.Ready;
import io.kjadm.etcd.auto.EntryBody.Resume;
import io.kjadm.etcd.auto.EntryBody.Spec;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Which entries are valid, in the order of {@link EntryBody}. */
class CharterTest {

    private static final Pause PAUSE = new Pause(Optional.empty(), "");

    // ---- any entry

    @Test
    void anEntryFitsItsOwnPlaceAlone() {
        WrittenLog log = forming();
        Place place = log.charter().next();
        Change change = log.change(B);
        Optional<MachineId> author = Optional.of(B);

        log.allows(entry(author, place, change));
        log.refuses(entry(author, new Place(UID, place.slot() + 1, place.previous()), change));
        log.refuses(entry(author, new Place(UID, place.slot() - 1, place.previous()), change));
        log.refuses(entry(author, new Place("another", place.slot(), place.previous()), change));
        log.refuses(entry(author, new Place(UID, place.slot(), "another"), change));
    }

    @Test
    void whatIsNoEntryTakesItsSlotAndNothingElse() {
        Charter before = pair().charter();
        Charter after = pair().with(Optional.empty()).charter();

        assertEquals(before.tail().slot() + 1, after.tail().slot());
        assertEquals(
                before,
                new Charter(
                        after.seed(),
                        before.tail(),
                        after.phase(),
                        after.began(),
                        after.members(),
                        after.pause(),
                        after.ending()));
    }

    // ---- form

    @Test
    void oneMachineFounds() {
        WrittenLog log = seeded(3);
        log.allows(A, form(1, A));

        forming().refuses(B, form(2, B));
        forming().refuses(A, form(1, A));
        open().refuses(B, form(2, B));
    }

    @Test
    void aFounderWritesForItself() {
        WrittenLog log = seeded(3);
        log.refuses(B, form(1, A));
        log.refuses(log.entry(Optional.empty(), form(1, A)));
        log.refuses(A, new Form(1, "token", A, seat(B), CLUSTER));
    }

    @Test
    void generationsFollowOneAnother() {
        seeded(3).refuses(A, form(0, A));
        seeded(3).refuses(A, form(2, A));

        WrittenLog abandoned = forming().abandoned();
        abandoned.refuses(B, form(1, B));
        abandoned.allows(B, form(2, B));
        abandoned.refuses(B, form(3, B));
    }

    @Test
    void noClusterIsFoundedInAPause() {
        seeded(3).paused().refuses(A, form(1, A));
        seeded(3).paused().resumed().allows(A, form(1, A));
    }

    @Test
    void theFounderIsTheOnlyVoterAtFirst() {
        Charter charter = forming().charter();
        assertEquals(Phase.FORMING, charter.phase());
        assertEquals(List.of(seat(A)), charter.voters());
        assertEquals(Optional.of(A), charter.founder());
        assertEquals(Optional.of(CLUSTER), charter.cluster());
    }

    // ---- ready

    @Test
    void clientsComeWhenEnoughMembersVote() {
        forming().refuses(A, new Ready(1));
        pair().allows(A, new Ready(1));
        seeded(1).with(A, form(1, A)).allows(A, new Ready(1));
    }

    @Test
    void theFounderAloneLetsClientsIn() {
        pair().refuses(B, new Ready(1));
        pair().refuses(pair().entry(Optional.empty(), new Ready(1)));
    }

    @Test
    void clientsComeBetweenTwoChanges() {
        WrittenLog changing = pair().joining(C);
        changing.refuses(A, new Ready(1));
        changing.joined(C).allows(A, new Ready(1));
    }

    @Test
    void readyIsOfTheGenerationThatForms() {
        pair().refuses(A, new Ready(2));
        pair().abandoned().refuses(A, new Ready(1));
        seeded(3).refuses(A, new Ready(0));
        open().refuses(A, new Ready(1));
    }

    // ---- abandon

    @Test
    void aGenerationIsAbandonedBeforeClientsUseIt() {
        forming().allows(B, new Abandon(1));
        forming().allows(forming().entry(Optional.empty(), new Abandon(1)));
        pair().allows(B, new Abandon(1));

        forming().refuses(B, new Abandon(2));
        seeded(3).refuses(B, new Abandon(0));
        forming().abandoned().refuses(B, new Abandon(1));
        open().refuses(B, new Abandon(1));
    }

    @Test
    void nothingOfAnAbandonedGenerationStaysOpen() {
        Charter charter = joining().abandoned().charter();
        assertEquals(Phase.NONE, charter.phase());
        assertEquals(List.of(), charter.voters());
        assertEquals(Optional.empty(), charter.change());
        assertEquals(Optional.empty(), charter.founder());
        assertEquals(Optional.empty(), charter.cluster());
        assertEquals(1, charter.generation());
    }

    // ---- change

    @Test
    void oneChangeIsOpenAtATime() {
        WrittenLog log = forming();
        log.allows(B, log.change(B));
        open().allows(C, open().change(C));

        joining().refuses(C, joining().change(C));
        joining().refuses(B, joining().change(B));
        pair().allows(C, pair().change(C));
    }

    @Test
    void noChangeBeginsInAPause() {
        WrittenLog paused = forming().paused();
        paused.refuses(B, paused.change(B));
        paused.resumed().allows(B, paused.resumed().change(B));
    }

    @Test
    void aChangeIsOfTheGenerationThatIsThere() {
        WrittenLog log = forming();
        log.refuses(B, Change.add(2, WrittenLog.added(B), log.charter().voterIds()));
        seeded(3).refuses(B, Change.add(0, WrittenLog.added(B), Set.of()));
        log.abandoned().refuses(B, Change.add(1, WrittenLog.added(B), Set.of()));
    }

    @Test
    void aChangeNamesTheVotersThatItStartsFrom() {
        WrittenLog log = pair();
        for (Set<MemberId> wrong : List.of(
                Set.<MemberId>of(),
                Set.of(seat(A).id()),
                Set.of(seat(A).id(), seat(B).id(), seat(D).id()))) {
            log.refuses(C, Change.add(1, WrittenLog.added(C), wrong));
        }
    }

    @Test
    void aMachineChangesTheMembersForItself() {
        WrittenLog log = pair();
        log.refuses(D, log.change(C));
        log.refuses(log.entry(Optional.empty(), log.change(C)));
        log.refuses(
                D,
                new Change(
                        1,
                        D,
                        Optional.of(WrittenLog.added(C)),
                        Optional.empty(),
                        log.charter().voterIds()));
    }

    @Test
    void aMachineHasOneMember() {
        pair().refuses(B, pair().change(B));
        pair().refuses(A, pair().change(A));
    }

    // ---- done

    @Test
    void aChangeEndsWithItsMemberOrWithoutIt() {
        WrittenLog log = joining();
        log.allows(B, log.done(seat(B)));
        log.allows(B, log.done());
        assertEquals(List.of(seat(A), seat(B)), log.joined(B).charter().voters());
        assertEquals(List.of(seat(A)), log.with(B, log.done()).charter().voters());
    }

    @Test
    void aChangeEndsInAPauseToo() {
        WrittenLog log = joining().paused();
        log.allows(B, log.done(seat(B)));
    }

    @Test
    void anotherMachineMayCloseAChange() {
        WrittenLog log = joining();
        log.allows(A, log.done());
        log.allows(A, log.done(seat(B)));
        log.allows(log.entry(Optional.empty(), log.done(seat(B))));
        log.refuses(A, log.done(seat(C)));
    }

    @Test
    void anOpenChangeIsClosedByItsSlot() {
        WrittenLog log = joining();
        long slot = log.charter().change().orElseThrow().slot();
        List<Seat> voters = List.of(seat(A), seat(B));
        log.refuses(B, new Done(slot - 1, voters));
        log.refuses(B, new Done(slot + 1, voters));
        pair().refuses(B, new Done(slot, voters));
        log.abandoned().refuses(B, new Done(slot, voters));
    }

    @Test
    void noVoterIsLost() {
        WrittenLog log = pair().joining(C);
        long slot = log.charter().change().orElseThrow().slot();
        log.refuses(C, new Done(slot, List.of(seat(A), seat(C))));
        log.refuses(C, new Done(slot, List.of()));
    }

    @Test
    void noVoterComesThatTheChangeDoesNotAdd() {
        WrittenLog log = joining();
        log.refuses(B, log.done(seat(C)));
        log.refuses(B, log.done(seat(B), seat(C)));
        log.refuses(B, log.done(seat(B), seat(B)));
        log.refuses(B, log.done(seat(A)));
    }

    @Test
    void theAddedVoterIsOnTheMachineThatWasNamed() {
        WrittenLog log = joining();
        Seat real = seat(B);
        for (Optional<MachineId> other : List.of(Optional.of(C), Optional.<MachineId>empty())) {
            log.refuses(
                    B,
                    log.done(new Seat(
                            real.id(), real.name(), other, real.peerUrls(), real.clientUrls())));
        }
        log.refuses(
                B,
                log.done(new Seat(
                        real.id(),
                        real.name(),
                        real.machine(),
                        List.of(URI.create("https://192.0.2.99:2380")),
                        real.clientUrls())));
    }

    @Test
    void aVoterOfAnotherMachineStaysWhereItIs() {
        WrittenLog log = joining();
        long slot = log.charter().change().orElseThrow().slot();
        Seat a = seat(A);
        for (Optional<MachineId> other : List.of(Optional.of(C), Optional.<MachineId>empty())) {
            Seat moved = new Seat(a.id(), a.name(), other, a.peerUrls(), a.clientUrls());
            log.refuses(B, new Done(slot, List.of(moved, seat(B))));
        }
    }

    // ---- spec

    @Test
    void anOperatorWantsAnotherCluster() {
        ClusterSpec newer = ClusterSpec.of(new EtcdVersion(3, 7, 0), 5);
        for (WrittenLog log : List.of(seeded(3), forming(), open().paused(), joining())) {
            WrittenLog after = log.with(Optional.empty(), new Spec(newer));
            assertEquals(newer, after.charter().seed().spec());
            assertEquals(log.charter().members(), after.charter().members());
        }
    }

    /** Which versions members have the log does not know; no machine downgrades its etcd. */
    @Test
    void anUpgradeIsTakenBack() {
        ClusterSpec before = open().charter().seed().spec();
        ClusterSpec newer = ClusterSpec.of(new EtcdVersion(3, 7, 0), 3);
        WrittenLog after = open().with(Optional.empty(), new Spec(newer))
                .with(Optional.empty(), new Spec(before));
        assertEquals(before, after.charter().seed().spec());
    }

    // ---- pause and resume

    @Test
    void anybodyPausesAndResumes() {
        for (WrittenLog log : List.of(seeded(3), forming(), joining(), open(), complete())) {
            log.allows(D, PAUSE);
            log.allows(
                    log.entry(Optional.empty(), new Pause(Optional.of(Duration.ofHours(1)), "")));
            WrittenLog paused = log.paused();
            long slot = paused.charter().pause().orElseThrow().slot();
            paused.allows(B, new Resume(slot));
            paused.allows(paused.entry(Optional.empty(), new Resume(slot)));
            assertEquals(Optional.empty(), paused.resumed().charter().pause());
        }
    }

    @Test
    void oneIsPausedOnce() {
        forming().paused().refuses(B, PAUSE);
        forming().paused().resumed().allows(B, PAUSE);
    }

    @Test
    void aPauseIsResumedByItsSlot() {
        WrittenLog paused = forming().paused();
        long slot = paused.charter().pause().orElseThrow().slot();
        paused.refuses(B, new Resume(slot - 1));
        paused.refuses(B, new Resume(slot + 1));
        paused.resumed().refuses(B, new Resume(slot));
        forming().refuses(B, new Resume(1));
    }

    @Test
    void nothingIsAbandonedInAPause() {
        forming().paused().refuses(B, new Abandon(1));
        forming().paused().resumed().allows(B, new Abandon(1));
    }
}
