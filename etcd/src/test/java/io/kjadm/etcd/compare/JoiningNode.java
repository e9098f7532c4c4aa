package io.kjadm.etcd.compare;

import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.TreeBytes;
import io.kjadm.etcd.join.LocalDataDir;
import io.kjadm.etcd.join.LocalMember;
import io.kjadm.etcd.join.LocalMemberHealth;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.StartProblem;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The node that joins: a process of this machine; a kubelet starts it a second after its manifest
 * is there.
 */
final class JoiningNode implements LocalMember, AutoCloseable {

    private static final Duration KUBELET = Duration.ofSeconds(1);
    /**
     * How long a learner that follows may serve no clients before it is started again, as kjadm
     * does it.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Duration ANNOUNCED_PATIENCE = Duration.ofMillis(250);
    /** Of a new database file; more means that it is catching up. */
    private static final long EMPTY_DATABASE = 1 << 20;

    private final EtcdBinary binary;
    private final Path folder;
    private final NewMember wanted;
    private final Fault fault;
    private final URI metrics = EtcdProcess.freeUrl();
    private List<Member> manifest = List.of();
    private EtcdProcess process;
    private boolean closed;
    private boolean startedAgain;
    private long followsSince;

    JoiningNode(EtcdBinary binary, Path folder, NewMember wanted, Fault fault) {
        this.binary = binary;
        this.folder = folder;
        this.wanted = wanted;
        this.fault = fault;
    }

    @Override
    public synchronized void writeManifest(List<Member> members, Member own) {
        boolean first = manifest.isEmpty();
        manifest = List.copyOf(members);
        if (first && fault.memberStarts()) {
            Thread.ofVirtual().start(this::kubelet);
        }
    }

    private void kubelet() {
        Pauses.sleep(KUBELET);
        start();
        if (fault == Fault.KILLED_CATCHING_UP) {
            Path database = process.dataDir().resolve("member/snap/db");
            Pauses.until(
                    Duration.ofSeconds(20),
                    Duration.ofMillis(1),
                    () -> TreeBytes.of(database) > EMPTY_DATABASE);
            kill();
        }
    }

    private synchronized void start() {
        if (closed || manifest.isEmpty()) {
            return;
        }
        process = EtcdProcess.joining(binary, folder, wanted, manifest)
                .with("--listen-metrics-urls=" + metrics);
        switch (fault) {
            case DIES_AT_ONCE -> process = process.with("--no-such-flag=1");
            case CUT_OFF -> process = process.with("--listen-peer-urls=" + EtcdProcess.freeUrl());
            default -> {}
        }
        try {
            process.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized void kill() {
        if (process != null) {
            process.close();
        }
    }

    @Override
    public synchronized LocalDataDir localDataDir() {
        return process != null && Files.exists(process.dataDir().resolve("member"))
                ? LocalDataDir.SOME_DATA
                : LocalDataDir.NONE;
    }

    @Override
    public synchronized LocalMemberHealth memberHealth() {
        if (process == null) {
            return LocalMemberHealth.NONE;
        }
        if (followsSince == 0 && answers("/readyz?exclude=non_learner")) {
            followsSince = System.nanoTime();
        }
        boolean dead = fault == Fault.DIES_AT_ONCE && !process.alive();
        return new LocalMemberHealth(
                process.alive(),
                TreeBytes.of(process.dataDir()),
                TreeBytes.of(process.dataDir().resolve("member/snap")),
                dead
                        ? Optional.of(new StartProblem(
                                new Problem(
                                        "its process ends at once",
                                        "flag provided but not defined: -no-such-flag",
                                        "correct the flags"),
                                false))
                        : Optional.empty());
    }

    /** The stand-in for the kubelet is always there. */
    @Override
    public Optional<StartProblem> startProblem() {
        return Optional.empty();
    }

    /** Only the other direction is ever cut here. */
    @Override
    public Map<MemberId, String> unreached(List<Member> voters) {
        return Map.of();
    }

    @Override
    public boolean listens(Member member) {
        return false;
    }

    @Override
    public synchronized String notReadyReason() {
        return process != null && answers("/readyz") ? "" : "/readyz does not answer with 200";
    }

    @Override
    public String stopAndSetAside() {
        kill();
        synchronized (this) {
            manifest = List.of();
            try {
                if (process != null && Files.exists(process.dataDir())) {
                    Files.move(process.dataDir(), process.dataDir().resolveSibling("failed"));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            process = null;
        }
        return "its data was renamed";
    }

    @Override
    public synchronized void help(boolean announced) {
        Duration patience = announced ? ANNOUNCED_PATIENCE : PATIENCE;
        boolean stalled =
                followsSince != 0 && System.nanoTime() - followsSince > patience.toNanos();
        if (stalled && !startedAgain) {
            startedAgain = true;
            kill();
            start();
        }
    }

    private boolean answers(String path) {
        try {
            var connection = (HttpURLConnection) metrics.resolve(path).toURL().openConnection();
            connection.setConnectTimeout(500);
            connection.setReadTimeout(1000);
            return connection.getResponseCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        kill();
    }
}
