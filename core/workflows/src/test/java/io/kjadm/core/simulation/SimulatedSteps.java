package io.kjadm.core.simulation;

import io.kjadm.core.auto.AutoStage;
import io.kjadm.core.auto.AutoSteps;
import io.kjadm.core.auto.GuardedEtcd;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.join.JoinOfAMember;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberRemoval;
import io.kjadm.etcd.OwnMember;
import io.kjadm.etcd.Removal;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.EntryBody.Fenced;
import io.kjadm.etcd.auto.EntryBody.Progress;
import io.kjadm.etcd.auto.Seat;
import io.kjadm.etcd.auto.Step;
import io.kjadm.etcd.join.JoinDecider;
import io.kjadm.etcd.join.LearnerMemberAdder;
import io.kjadm.etcd.join.MemberAdder;
import io.kjadm.etcd.join.MemberJoinExecutor;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.RejoinOptions;
import io.kjadm.etcd.model.Violation;
import io.kjadm.manifests.NameAndUrl;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.StoreException;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What the daemon of an {@link AutoMachine} does to its machine and to etcd. */
final class SimulatedSteps implements AutoSteps {

    /** What these leave on the machine. */
    static final Path BEGUN = Path.of("/var/lib/simulated/init");

    static final Path WITH_DATA = Path.of("/var/lib/simulated/with-data");
    static final Path SET_UP = Path.of("/var/lib/simulated/set-up");
    static final Path CLIENTS = Path.of("/var/lib/simulated/clients");
    /** What is put back with the data of a member. */
    private static final List<Path> SETTINGS =
            List.of(Host.ETCD, SET_UP, AutoStage.NOTE, BEGUN, WITH_DATA, CLIENTS);

    private static final Duration START = Duration.ofMinutes(1);

    private final AutoDaemon run;
    private final AutoSimulation stage;
    private final AutoMachine machine;
    private final Host host;

    SimulatedSteps(AutoDaemon run) {
        this.run = run;
        this.stage = run.stage;
        this.machine = run.machine;
        this.host = run.machine.host;
    }

    /** Where the CA of a cluster is in the store. */
    static String ca(String cluster) {
        return "v1/auto/pki/" + cluster;
    }

    /** What is on a machine whose clients know these voters. */
    static String clients(Charter charter) {
        return charter.voters().stream().map(Seat::name).sorted().toList().toString();
    }

    @Override
    public void run(Step step) {
        stage.promises.begins(machine, step);
        // what is installed is not installed again
        if (machine.broken
                && host.data.isEmpty()
                && (step instanceof Step.Init || step instanceof Step.Join)) {
            run.disk.write(BEGUN, "", FileMode.OWNER_ONLY);
            run.program.pass(1_000);
            throw new ClusterException("no archive of etcd is on this machine", "", "");
        }
        switch (step) {
            case Step.Init init -> found(init);
            case Step.Join join -> join(join);
            case Step.JoinWithData join -> joinWithData(join);
            case Step.Clients _ -> {
                stage.promises.letsClientsIn(machine, run.own.log().charter());
                run.disk.write(CLIENTS, clients(run.own.log().charter()), FileMode.OWNER_ONLY);
            }
            case Step.Start _ -> {
                run.program.point();
                run.program.pass(3_000);
                if (!host.kubelet) {
                    requireStart();
                    host.kubeletWorks(true);
                    host.recovers(stage.world.now());
                }
            }
            case Step.Save _ -> save();
            case Step.Upgrade _, Step.Renew _ ->
                throw new Violation("nothing is to be upgraded or renewed");
            case Step.Remove remove -> remove(remove.member());
            case Step.Reset _ -> reset();
            case Step.Fence fence -> fence(fence);
            case Step.Unfence _ -> unfence();
        }
    }

    private void requireStart() {
        if (!machine.mayStart()) {
            throw new HostException("systemd did not start etcd", "the check has failed", "");
        }
    }

    private void save() {
        run.program.point();
        run.program.pass(3_000);
        if (!generation().model.serving()) {
            throw new ClusterException("no member gives a snapshot", "", "");
        }
        machine.savedAt = stage.world.now();
    }

    private AutoGeneration generation() {
        return stage.generation(run.own.log().charter())
                .orElseThrow(() -> new Violation("a step for no generation"));
    }

    private void found(Step.Init init) {
        AutoGeneration generation = generation();
        if (!init.token().equals(generation.form().token())) {
            throw new Violation("another token than the log's");
        }
        run.disk.write(BEGUN, init.token(), FileMode.OWNER_ONLY);
        provideCa(generation);
        if (!run.disk.exists(Host.ETCD)) {
            stage.belongs(host, generation);
            host.name = init.own().name();
            run.disk.write(
                    Host.ETCD,
                    host.etcdPod(List.of(new NameAndUrl(host.name, host.peerUrl))),
                    FileMode.OWNER_ONLY);
        }
        run.program.point();
        startUnit();
        run.program.pass(500 + stage.random.nextInt(4_000));
        if (host.data.isEmpty()) {
            if (run.disk.exists(SET_UP)) {
                throw new ClusterException("etcd's data went while it was set up", "", "");
            }
            stage.started(generation, host, index(init));
        }
        run.program.point();
        long limit = stage.world.now() + START.toMillis();
        while (!host.up) {
            if (stage.world.now() > limit) {
                throw new ClusterException("etcd does not start", "", "");
            }
            run.waiter.pause("etcd", "", Duration.ofSeconds(1));
        }
        run.disk.write(SET_UP, "", FileMode.OWNER_ONLY);
    }

    private void provideCa(AutoGeneration generation) {
        try {
            ObjectStore.Put put = run.store.put(ca(generation.began.cluster()), new byte[] {1});
            if (put != ObjectStore.Put.CREATED && put != ObjectStore.Put.EXISTS) {
                throw new ClusterException("the CA is not in the store", "", "");
            }
        } catch (StoreException e) {
            throw new ClusterException("the CA is not in the store", e.why(), "", e);
        }
    }

    /** An etcd that failed starts with the command, as its unit does. */
    private void startUnit() {
        host.startServices();
        if (!host.kubelet) {
            host.kubeletWorks(true);
            host.recovers(stage.world.now());
        }
    }

    private void remove(MemberId member) {
        AutoGeneration generation = generation();
        EtcdConnector real = access -> run.client(
                generation,
                run.own.log().charter().voters().stream()
                        .flatMap(seat -> seat.clientUrls().stream())
                        .toList());
        EtcdConnector guarded =
                GuardedEtcd.around(real, run.own.log(), run.own.memory().id());
        EtcdCluster etcd = run.between.guarded(real, guarded).connect(null);
        long limit = stage.world.now() + START.toMillis();
        while (stage.world.now() < limit) {
            try {
                EtcdHealth health = EtcdHealth.ask(etcd);
                Optional<Member> listed = health.find(member);
                if (listed.isEmpty()) {
                    return;
                }
                new MemberRemoval()
                        .attempt(
                                etcd,
                                health,
                                OwnMember.asListed(listed.get()),
                                Removal.Progress.NONE);
            } catch (EtcdCallException e) {
                run.out.detail(e.getMessage());
            }
            run.waiter.pause("etcd", "", Duration.ofSeconds(1));
        }
        throw new ClusterException("the member is still listed", "", "");
    }

    private void fence(Step.Fence fence) {
        run.program.point();
        AutoGeneration generation = stage.ofNumber(fence.generation());
        machine.disks.keep(generation);
        if (run.between.stops()) {
            run.disk.delete(Host.ETCD);
            host.down(stage.world.now());
        }
        if (run.own.memory().fenced(fence.generation()).isEmpty() || host.data.isPresent()) {
            // a kill behind the note finds them moved
            machine.disks.movesAside();
            Optional<MemberId> member = fence.member().or(() -> host.data);
            AutoStage.fenced(
                    run.own.memory(),
                    new Fenced(
                            fence.generation(),
                            member.orElse(MemberId.NONE),
                            host.data.map(_ -> new Progress(
                                    host.lastIndex,
                                    host.lastIndex,
                                    2,
                                    host.lastIndex,
                                    0,
                                    host.lastIndex)),
                            Set.of(),
                            host.data.map(id -> "/var/lib/etcd." + id).orElse("")));
        }
        if (!run.between.stops()) {
            machine.hides = true;
            return;
        }
        stage.leaves(host);
        if (!run.between.keepsData()) {
            run.disk.deleteTree(Host.DATA);
        }
        reset();
    }

    /** In the order of production: data, settings, service, memory. */
    private void unfence() {
        AutoGeneration generation = generation();
        run.program.point();
        machine.disks.putBack(generation, SETTINGS);
        stage.belongs(host, generation);
        run.program.point();
        requireStart();
        startUnit();
        run.program.point();
        AutoStage.unfenced(run.own.memory(), generation.began.generation());
        machine.disks.forget(generation);
    }

    private void reset() {
        new SimulatedNode(host, run.program, stage.anyGeneration().play, run.waiter, run.out)
                .stopAndSetAside();
        JournalFile journal = new JournalFile(run.disk, Host.PATHS.tmpDir());
        journal.clear();
        for (Path file : List.of(SET_UP, AutoStage.NOTE, BEGUN, WITH_DATA, CLIENTS)) {
            run.disk.delete(file);
        }
    }

    /** As {@code etcd join --existing-data}: the member is listed, or no member responds. */
    private void joinWithData(Step.JoinWithData join) {
        AutoGeneration generation = generation();
        MemberId own = host.data.orElseThrow(() -> new HostException("there are no data", "", ""));
        try {
            EtcdHealth health = EtcdHealth.ask(run.client(generation, join.endpoints()));
            if (health.find(own).isEmpty()) {
                throw new ClusterException("the member is not listed", "", "");
            }
        } catch (EtcdCallException e) {
            run.out.detail(e.getMessage());
        }
        stage.belongs(host, generation);
        run.disk.write(WITH_DATA, "", FileMode.OWNER_ONLY);
        run.disk.write(
                Host.ETCD,
                host.etcdPod(List.of(new NameAndUrl(host.name, host.peerUrl))),
                FileMode.OWNER_ONLY);
        run.program.point();
        requireStart();
        startUnit();
        long limit = stage.world.now() + START.toMillis();
        while (!host.up || !generation.model.serving()) {
            if (stage.world.now() > limit) {
                throw new ClusterException("etcd does not serve", "", "");
            }
            run.waiter.pause("etcd", "", Duration.ofSeconds(1));
        }
        run.disk.write(SET_UP, "", FileMode.OWNER_ONLY);
        run.disk.delete(WITH_DATA);
        machine.isSetUp();
    }

    /** How far the data are that a generation begins with. */
    private long index(Step.Init init) {
        return run.between.restores(read(init));
    }

    private long read(Step.Init init) {
        return init.data().stream()
                .filter(flag -> flag.startsWith("--from-snapshot=/"))
                .findFirst()
                .map(machine.disks::indexAt)
                .orElse(10L);
    }

    private void join(Step.Join join) {
        AutoGeneration generation = generation();
        if (host.data.isEmpty() && !host.files.exists(Host.ETCD)) {
            stage.belongs(host, generation);
            host.name = join.own().name();
        }
        startUnit();
        EtcdConnector real = access -> run.client(generation, join.endpoints());
        EtcdConnector guarded =
                GuardedEtcd.around(real, run.own.log(), run.own.memory().id());
        NewMember wanted = new NewMember(host.name, host.peerUrl);
        MemberAdder adder = new LearnerMemberAdder();
        JournalFile journal = new JournalFile(run.disk, Host.PATHS.tmpDir());
        MemberJoinExecutor joiner = new MemberJoinExecutor(
                wanted,
                adder,
                new JoinDecider(
                        wanted, "run-" + machine.runs, adder, RejoinOptions.NONE, Joining.LIMITS),
                run.between.guarded(real, guarded).connect(null),
                journal,
                new SimulatedNode(host, run.program, generation.play, run.waiter, run.out),
                stage.world::instant);
        JoinOfAMember.join(
                joiner,
                host.peerUrl,
                Joining.LIMITS,
                MembershipLock.none(),
                journal,
                run.waiter,
                run.out);
        run.disk.write(SET_UP, "", FileMode.OWNER_ONLY);
    }
}
