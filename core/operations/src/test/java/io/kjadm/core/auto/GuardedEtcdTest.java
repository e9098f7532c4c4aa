package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.auto.AutoLog.Appended;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.auto.EntryBody;
import io.kjadm.etcd.auto.EntryBody.Added;
import io.kjadm.etcd.auto.EntryBody.Change;
import io.kjadm.etcd.auto.EntryBody.Done;
import io.kjadm.etcd.auto.EntryBody.Observed;
import io.kjadm.etcd.auto.EntryBody.Ready;
import io.kjadm.etcd.auto.EntryBody.Resume;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.Seat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A change of members leaves a machine only if the log names it. */
class GuardedEtcdTest {

    private static final URI OWN = URI.create("https://10.0.0.12:2380");
    private static final URI OTHER = URI.create("https://10.0.0.13:2380");

    private final LogLab lab = new LogLab();
    private final MemoryFiles founderFiles = new MemoryFiles();
    private final MemoryFiles files = new MemoryFiles();
    private final AutoLog founder = lab.machine(founderFiles);
    private final AutoLog log = lab.machine(files);
    private final MachineId self = LogLab.id(files);
    private final SimulatedCluster real = SimulatedCluster.ofVoters(1);
    private final EtcdCluster guarded = GuardedEtcd.around(_ -> real, log, self)
            .connect(EtcdAccess.plain(List.of(URI.create("http://10.0.0.11:2379"))));

    @BeforeEach
    void aClusterIsFormed() {
        write(founder, LogLab.form(LogLab.id(founderFiles)));
    }

    private static void write(AutoLog to, EntryBody body) {
        to.refresh();
        assertEquals(Appended.WRITTEN, to.append(body, "a test", ""));
    }

    private Change change() {
        return Change.add(
                1,
                new Added(self, "etcd2-1234", List.of(OWN)),
                founder.charter().voterIds());
    }

    private static void refused(ErrorClass expected, Executable call) {
        assertEquals(expected, assertThrows(EtcdCallException.class, call).errorClass());
    }

    @Test
    void whatTheOpenChangeNamesPasses() {
        write(log, change());
        MemberId learner = guarded.addLearner(List.of(OWN)).id();
        real.start(learner, "etcd2-1234");
        real.tick();
        guarded.promote(learner);
        assertEquals(2, real.members().size());
    }

    @Test
    void nothingPassesWithoutAChange() {
        refused(ErrorClass.FATAL, () -> guarded.addLearner(List.of(OWN)));
        assertEquals(List.of(), real.changes());
    }

    @Test
    void anotherMemberIsNotAdded() {
        write(log, change());
        refused(ErrorClass.FATAL, () -> guarded.addLearner(List.of(OTHER)));
        refused(ErrorClass.FATAL, () -> guarded.addLearner(List.of(OWN, OTHER)));
        refused(ErrorClass.FATAL, () -> guarded.addVoter(List.of(OWN)));
        assertEquals(List.of(), real.changes());
    }

    @Test
    void anotherMachinesChangeIsNotThisOnes() {
        write(log, change());
        EtcdCluster others = GuardedEtcd.around(_ -> real, founder, LogLab.id(founderFiles))
                .connect(EtcdAccess.plain(List.of(URI.create("http://10.0.0.11:2379"))));
        refused(ErrorClass.FATAL, () -> others.addLearner(List.of(OWN)));
    }

    @Test
    void aVoterIsNeverRemoved() {
        write(log, change());
        MemberId voter = real.members().getFirst().id();
        refused(ErrorClass.FATAL, () -> guarded.remove(voter));
        refused(ErrorClass.FATAL, () -> guarded.moveLeader(voter, voter));
    }

    /** The log lists these voters, the first one on the machine of the founder. */
    private List<Seat> observed(SimulatedCluster cluster) {
        List<Seat> seats = new ArrayList<>();
        for (Member member : cluster.members()) {
            Optional<MachineId> machine = seats.isEmpty()
                    ? Optional.of(LogLab.id(founderFiles))
                    : Optional.<MachineId>empty();
            seats.add(new Seat(
                    member.id(), member.name(), machine, member.peerUrls(), member.clientUrls()));
        }
        write(founder, new Observed(seats));
        write(lab.person(), new Resume(2));
        return seats;
    }

    private Change removal(MemberId lost) {
        return Change.remove(1, LogLab.id(founderFiles), lost, founder.charter().voterIds());
    }

    private EtcdCluster guarded(SimulatedCluster cluster) {
        return GuardedEtcd.around(_ -> cluster, log, self)
                .connect(EtcdAccess.plain(List.of(URI.create("http://10.0.0.11:2379"))));
    }

    @Test
    void theVoterThatAnyChangeRemovesMayBeRemovedWhileItAloneIsDown() {
        SimulatedCluster five = SimulatedCluster.ofVoters(5);
        List<Seat> seats = observed(five);
        MemberId lost = seats.getLast().id();
        EtcdCluster etcd = guarded(five);
        refused(ErrorClass.FATAL, () -> etcd.remove(lost));
        write(founder, removal(lost));
        refused(ErrorClass.FATAL, () -> etcd.remove(seats.getFirst().id()));
        refused(ErrorClass.FATAL, () -> etcd.remove(lost));
        five.stop(lost);
        five.stop(seats.get(1).id());
        refused(ErrorClass.FATAL, () -> etcd.remove(lost));
        five.start(seats.get(1).id(), seats.get(1).name());
        etcd.remove(lost);
        assertEquals(4, five.members().size());
    }

    @Test
    void aHealthyVoterMayBeRemovedIfThereAreMoreThanAreWanted() {
        SimulatedCluster four = SimulatedCluster.ofVoters(4);
        List<Seat> seats = observed(four);
        write(founder, new Ready(1));
        MemberId surplus = seats.getLast().id();
        write(founder, removal(surplus));
        four.stop(seats.get(1).id());
        refused(ErrorClass.FATAL, () -> guarded(four).remove(surplus));
        four.start(seats.get(1).id(), seats.get(1).name());
        guarded(four).remove(surplus);
        assertEquals(3, four.members().size());
    }

    @Test
    void theLearnerOfAnOpenChangeMayBeRemovedByAnotherMachine() {
        write(log, change());
        MemberId learner = guarded.addLearner(List.of(OWN)).id();
        EtcdCluster others = GuardedEtcd.around(_ -> real, founder, LogLab.id(founderFiles))
                .connect(EtcdAccess.plain(List.of(URI.create("http://10.0.0.11:2379"))));
        others.remove(learner);
        assertEquals(1, real.members().size());
    }

    @Test
    void aLearnerThatWasAddedLateMayBeRemovedAndNotPromoted() {
        write(log, change());
        MemberId late = guarded.addLearner(List.of(OWN)).id();
        write(founder, new Done(2, founder.charter().voters()));
        refused(ErrorClass.FATAL, () -> guarded.promote(late));
        guarded.remove(late);
        assertEquals(1, real.members().size());
    }

    @Test
    void aForeignLearnerStays() {
        write(log, change());
        MemberId foreign = real.plant(OTHER, true);
        refused(ErrorClass.FATAL, () -> guarded.remove(foreign));
        refused(ErrorClass.FATAL, () -> guarded.promote(foreign));
    }

    @Test
    void aPauseStopsTheWayForwardAndNotTheWayBack() {
        write(log, change());
        MemberId learner = guarded.addLearner(List.of(OWN)).id();
        write(founder, LogLab.pause("maintenance"));
        refused(ErrorClass.FATAL, () -> guarded.promote(learner));
        guarded.remove(learner);
        refused(ErrorClass.FATAL, () -> guarded.addLearner(List.of(OWN)));
        write(founder, new Resume(3));
        guarded.addLearner(List.of(OWN));
    }

    @Test
    void withoutTheStoreMembersStayAsTheyAre() {
        write(log, change());
        lab.store.down = true;
        refused(ErrorClass.TRANSIENT, () -> guarded.addLearner(List.of(OWN)));
        lab.store.down = false;
        guarded.addLearner(List.of(OWN));
    }

    /** No other machine would know of it. */
    @Test
    void anEntryThatWasDeletedNamesNothing() {
        write(log, change());
        lab.memory.objects.remove(AutoObjects.entry(2));
        refused(ErrorClass.TRANSIENT, () -> guarded.addLearner(List.of(OWN)));
        assertEquals(List.of(), real.changes());
    }

    @Test
    void callsThatOnlyAskPass() {
        assertEquals(real.members(), guarded.members());
        refused(ErrorClass.FATAL, () -> guarded.defragment(OWN, Duration.ofSeconds(1)));
    }
}
