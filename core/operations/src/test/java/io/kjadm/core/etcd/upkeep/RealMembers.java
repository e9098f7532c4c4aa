package io.kjadm.core.etcd.upkeep;

import com.google.protobuf.ByteString;

import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.kjadm.core.etcd.commands.EtcdSession;
import io.kjadm.core.etcd.commands.EtcdTarget;
import io.kjadm.core.etcd.commands.OpsLab;
import io.kjadm.core.phase.SteadyClock;
import io.kjadm.core.phase.SystemWaiter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.JetcdConnector;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.compare.Client;
import io.kjadm.etcd.join.NewMember;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** Real members without TLS on the loopback interface, and an operator who looks after them. */
public final class RealMembers implements AutoCloseable {

    /** How long is waited for what has to come; nothing depends on its being short. */
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private static final String[] PATIENT = {"--heartbeat-interval=500", "--election-timeout=5000"};

    private final EtcdBinary binary;
    private final Path folder;
    private final String[] flags;
    /** All that ever were members, by their names. */
    private final Map<String, EtcdProcess> processes =
            Collections.synchronizedMap(new LinkedHashMap<>());

    private final EtcdCluster cluster;
    public final OpsLab ops = new OpsLab(1);
    public final Waiter waiter = new SystemWaiter(new SteadyClock(), ops.out);

    /**
     * A cluster of so many voters, all of them well.
     *
     * @param flags of each member, also of those that join
     */
    public RealMembers(EtcdBinary binary, Path folder, int voters, String... flags)
            throws IOException {
        this.binary = binary;
        this.folder = folder;
        this.flags = flags;
        Map<String, URI> peers = new LinkedHashMap<>();
        for (int i = 1; i <= voters; i++) {
            peers.put("m" + i, EtcdProcess.freeUrl());
        }
        List<EtcdProcess> all = EtcdProcess.together(binary, folder, peers);
        List<String> names = List.copyOf(peers.keySet());
        for (int i = 0; i < voters; i++) {
            // a machine that is busy elects nobody for that
            processes.put(names.get(i), all.get(i).with(PATIENT).with(flags));
            processes.get(names.get(i)).start();
        }
        cluster = new JetcdConnector().connect(EtcdAccess.plain(endpoints()));
        until(
                "every voter to be healthy",
                () -> EtcdHealth.ask(cluster).allVotersHealthy()
                        && EtcdHealth.ask(cluster).leader().isPresent());
    }

    /** Before a member is added: etcd wants its connections to have stood for 5 s. */
    public RealMembers settled() {
        pause(Duration.ofSeconds(6));
        return this;
    }

    public EtcdCluster cluster() {
        return cluster;
    }

    /** Client URLs of those that run. */
    public List<URI> endpoints() {
        return processes().stream()
                .filter(EtcdProcess::alive)
                .map(EtcdProcess::clientUrl)
                .toList();
    }

    private List<EtcdProcess> processes() {
        synchronized (processes) {
            return List.copyOf(processes.values());
        }
    }

    /** The operator's session, with those that run named. */
    public EtcdSession open() {
        return open(new JetcdConnector());
    }

    /** The same with another way to etcd. */
    public EtcdSession open(EtcdConnector connector) {
        return ops.open(new EtcdTarget(endpoints(), Optional.empty()), connector, waiter);
    }

    /** As by a power cut. */
    public void kill(String name) {
        processes.get(name).close();
    }

    /** It stands still for so long as that takes, and goes on. */
    public void suspended(String name, Runnable meanwhile) throws IOException {
        EtcdProcess process = processes.get(name);
        process.suspend();
        try {
            meanwhile.run();
        } finally {
            process.resume();
        }
    }

    /** Ends all members. */
    public List<Path> end() {
        EtcdProcess.stop(processes());
        return processes().stream().map(EtcdProcess::dataDir).toList();
    }

    /** Somebody starts that member as soon as it is listed, in a thread of its own. */
    public Thread starting(NewMember wanted) {
        return Thread.ofVirtual().start(() -> {
            try (EtcdCluster own = new JetcdConnector().connect(EtcdAccess.plain(endpoints()))) {
                until(wanted.name() + " to be listed", () -> listed(own, wanted));
                EtcdProcess process = EtcdProcess.joining(binary, folder, wanted, own.members())
                        .with(PATIENT)
                        .with(flags);
                process.start();
                processes.put(wanted.name(), process);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static boolean listed(EtcdCluster cluster, NewMember wanted) {
        return cluster.members().stream().anyMatch(wanted::hasUrlOf);
    }

    /** The names of the voters, in order. */
    public List<String> voters() {
        return cluster.members().stream()
                .filter(Member::voter)
                .map(Member::name)
                .sorted()
                .toList();
    }

    /**
     * Overwrites so many keys with random bytes.
     *
     * @return how many writes were acknowledged before etcd took none for want of room
     */
    int fill(int writes, int keys, int bytes) {
        byte[] value = new byte[bytes];
        Random random = new Random(1);
        try (Client client = new Client(endpoints())) {
            for (int i = 0; i < writes; i++) {
                random.nextBytes(value);
                ByteString bytesOfIt = ByteString.copyFrom(value);
                while (!client.put("filled/" + i % keys, bytesOfIt, Duration.ofSeconds(1))) {
                    if (!cluster.alarms().isEmpty()) {
                        return i;
                    }
                }
            }
            return writes;
        }
    }

    /** Raises the alarm that a member finds by itself when its keys are others than its peers have. */
    void corrupt(Member member) {
        URI url = endpoints().getFirst();
        ManagedChannel channel = NettyChannelBuilder.forAddress(url.getHost(), url.getPort())
                .usePlaintext()
                .proxyDetector(address -> null)
                .build();
        try {
            MaintenanceGrpc.newBlockingStub(channel)
                    .alarm(AlarmRequest.newBuilder()
                            .setAction(AlarmRequest.AlarmAction.ACTIVATE)
                            .setMemberID(member.id().value())
                            .setAlarmValue(2)
                            .build());
        } finally {
            channel.shutdownNow();
        }
    }

    /** Until it is so; a call that fails is made again. */
    public static void until(String what, BooleanSupplier condition) {
        Instant end = Instant.now().plus(LIMIT);
        String last = "false";
        while (Instant.now().isBefore(end)) {
            try {
                if (condition.getAsBoolean()) {
                    return;
                }
            } catch (EtcdCallException e) {
                last = e.getMessage();
            }
            pause(Duration.ofMillis(100));
        }
        throw new AssertionError("waited " + LIMIT + " for " + what + ", last: " + last);
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        cluster.close();
        processes().forEach(EtcdProcess::close);
    }
}
