package io.kjadm.etcd;

import io.kjadm.etcd.join.EmptyNode;
import io.kjadm.etcd.join.JoinDecider;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.JoinStep;
import io.kjadm.etcd.join.LearnerMemberAdder;
import io.kjadm.etcd.join.LocalDataDir;
import io.kjadm.etcd.join.LocalMemberHealth;
import io.kjadm.etcd.join.MemberAdder;
import io.kjadm.etcd.join.MemberJoinExecutor;
import io.kjadm.etcd.join.MemoryJournal;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.RejoinOptions;
import io.kjadm.etcd.join.RollbackOutcome;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** A node that joins for real, its process being one of this machine. */
final class LoopbackJoin extends EmptyNode {

    private final EtcdProcesses etcds;
    private final EtcdBinary binary;
    private final Path folder;
    private final NewMember wanted;
    private final UnaryOperator<EtcdProcess> placing;
    private final MemberJoinExecutor joiner;
    private boolean starts = true;
    private EtcdProcess process;

    LoopbackJoin(
            EtcdProcesses etcds, EtcdCluster cluster, EtcdBinary binary, Path folder, String name) {
        this(etcds, cluster, binary, folder, name, new LearnerMemberAdder());
    }

    LoopbackJoin(
            EtcdProcesses etcds,
            EtcdCluster cluster,
            EtcdBinary binary,
            Path folder,
            String name,
            MemberAdder adder) {
        this(
                etcds,
                cluster,
                binary,
                folder,
                new NewMember(name, EtcdProcess.freeUrl()),
                adder,
                etcd -> etcd);
    }

    /** @param placing where its process listens, and with which further flags */
    LoopbackJoin(
            EtcdProcesses etcds,
            EtcdCluster cluster,
            EtcdBinary binary,
            Path folder,
            NewMember wanted,
            MemberAdder adder,
            UnaryOperator<EtcdProcess> placing) {
        this.etcds = etcds;
        this.binary = binary;
        this.folder = folder;
        this.wanted = wanted;
        this.placing = placing;
        this.joiner = new MemberJoinExecutor(
                wanted,
                adder,
                new JoinDecider(wanted, "run", adder, RejoinOptions.NONE, JoinLimits.DEFAULTS),
                cluster,
                new MemoryJournal(),
                this,
                Instant::now);
    }

    /** Its process does not come up. */
    void neverStarts() {
        starts = false;
    }

    EtcdProcess process() {
        return process;
    }

    /** Steps until one has to wait, for whatever. */
    JoinStep goOn() {
        JoinStep step = joiner.step();
        while (step instanceof JoinStep.Progressed) {
            step = joiner.step();
        }
        return step;
    }

    /** Steps until one has to wait for something that is not a young connection. */
    JoinStep go() {
        Instant end = Instant.now().plus(EtcdProcesses.LIMIT);
        while (true) {
            switch (goOn()) {
                case JoinStep.Waiting wait
                when wait.detail().contains(EtcdErrors.UNHEALTHY)
                        && Instant.now().isBefore(end) -> EtcdProcesses.pause(wait.pause());
                case JoinStep other -> {
                    return other;
                }
            }
        }
    }

    void finish() {
        finish(EtcdProcesses.LIMIT, _ -> {});
    }

    /** @param told of what it waits for */
    void finish(Duration limit, Consumer<JoinStep.Waiting> told) {
        Instant end = Instant.now().plus(limit);
        while (true) {
            switch (go()) {
                case JoinStep.Joined ignored -> {
                    return;
                }
                case JoinStep.Waiting wait
                when Instant.now().isBefore(end) -> {
                    told.accept(wait);
                    startAgain();
                    EtcdProcesses.pause(wait.pause().plusMillis(100));
                }
                case JoinStep other ->
                    throw new AssertionError("%s; its etcd: %s"
                            .formatted(other, process == null ? "-" : process.lastLines()));
            }
        }
    }

    /** As the kubelet does with an etcd that has ended: some do without a leader. */
    private void startAgain() {
        if (process != null && !process.alive()) {
            try {
                process.start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    RollbackOutcome rollBack() {
        while (true) {
            switch (joiner.rollBack()) {
                case JoinStep.RolledBack(RollbackOutcome outcome, String ignored) -> {
                    return outcome;
                }
                case JoinStep.Waiting wait -> EtcdProcesses.pause(wait.pause());
                case JoinStep ignored -> {}
            }
        }
    }

    @Override
    public LocalDataDir localDataDir() {
        return process == null ? LocalDataDir.NONE : LocalDataDir.SOME_DATA;
    }

    @Override
    public LocalMemberHealth memberHealth() {
        return process == null
                ? LocalMemberHealth.NONE
                : new LocalMemberHealth(
                        true,
                        TreeBytes.of(process.dataDir()),
                        TreeBytes.of(process.dataDir().resolve("member/snap")),
                        Optional.empty());
    }

    @Override
    public void writeManifest(List<Member> members, Member own) {
        if (!starts) {
            return;
        }
        try {
            process = etcds.start(
                    placing.apply(EtcdProcess.joining(binary, folder, wanted, members)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String stopAndSetAside() {
        return "";
    }
}
