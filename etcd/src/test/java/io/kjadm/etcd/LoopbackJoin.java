package io.kjadm.etcd;

import io.kjadm.etcd.join.EmptyNode;
import io.kjadm.etcd.join.JoinDecider;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.JoinStep;
import io.kjadm.etcd.join.Joiner;
import io.kjadm.etcd.join.LearnerMemberAdder;
import io.kjadm.etcd.join.LifeSigns;
import io.kjadm.etcd.join.LocalTrace;
import io.kjadm.etcd.join.MemberAdder;
import io.kjadm.etcd.join.MemoryJournal;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.RejoinOptions;
import io.kjadm.etcd.join.Withdrawal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** A node that joins for real, its process being one of this machine. */
final class LoopbackJoin extends EmptyNode {

    private final EtcdProcesses etcds;
    private final EtcdBinary binary;
    private final Path folder;
    private final NewMember wanted;
    private final Joiner joiner;
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
        this.etcds = etcds;
        this.binary = binary;
        this.folder = folder;
        this.wanted = new NewMember(name, EtcdProcess.freeUrl());
        this.joiner = new Joiner(
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

    /** Steps until one has to wait for something that is not a young connection. */
    JoinStep go() {
        Instant end = Instant.now().plus(EtcdProcesses.LIMIT);
        while (true) {
            switch (joiner.step()) {
                case JoinStep.Went ignored -> {}
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
        Instant end = Instant.now().plus(EtcdProcesses.LIMIT);
        while (true) {
            switch (go()) {
                case JoinStep.Joined ignored -> {
                    return;
                }
                case JoinStep.Waiting wait
                when Instant.now().isBefore(end) ->
                    EtcdProcesses.pause(wait.pause().plusMillis(100));
                case JoinStep other -> throw new AssertionError(other);
            }
        }
    }

    Withdrawal withdraw() {
        while (true) {
            switch (joiner.withdraw()) {
                case JoinStep.TakenBack(Withdrawal outcome, String ignored) -> {
                    return outcome;
                }
                case JoinStep.Waiting wait -> EtcdProcesses.pause(wait.pause());
                case JoinStep ignored -> {}
            }
        }
    }

    @Override
    public LocalTrace trace() {
        return process == null ? LocalTrace.NONE : LocalTrace.SOME_DATA;
    }

    @Override
    public LifeSigns lifeSigns() {
        return process == null ? LifeSigns.NONE : LifeSigns.ALIVE;
    }

    @Override
    public void writeManifest(List<Member> members, Member own) {
        if (!starts) {
            return;
        }
        try {
            process = etcds.start(EtcdProcess.joining(binary, folder, wanted, members));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String takeAway() {
        return "";
    }
}
