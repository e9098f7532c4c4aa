package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.JoinStep;
import io.kjadm.etcd.join.LearnerMemberAdder;
import io.kjadm.etcd.join.NewMember;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Members that are far from each other, or have much to be sent: what a client and a peer send to a member
 * passes a {@link SlowLink}. Plays for {@code e2e/distance}, which says what is measured.
 */
@EnabledIfSystemProperty(named = "kjadm.distance", matches = ".+")
class DistanceIT {

    private static final int VALUE = 512 * 1024;

    @TempDir
    Path folder;

    @RegisterExtension
    final EtcdProcesses etcds = new EtcdProcesses();

    private final List<SlowLink> links = new ArrayList<>();
    private final EtcdBinary binary = EtcdBinary.anyOf(version -> version.knowsLearners());

    @AfterEach
    void endLinks() throws IOException {
        for (SlowLink link : links) {
            link.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"7, 1", "7, 20", "7, 100"})
    void oneVoterGrowsOverDistances(int voters, int millis) throws Exception {
        Duration roundTrip = Duration.ofMillis(millis);
        EtcdCluster cluster = first(roundTrip, 0, List.of());
        for (int i = 2; i <= voters; i++) {
            tell("%d ms".formatted(millis), i, 0, join(cluster, "m" + i, roundTrip, 0));
        }
        assertEquals(voters, EtcdHealth.ask(cluster).healthyVoters());
    }

    static Stream<Integer> mebibytes() {
        return Stream.of(System.getProperty("kjadm.distance.mebibytes", "").split(","))
                .filter(text -> !text.isBlank())
                .map(Integer::valueOf);
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("mebibytes")
    void aLargeDatabaseIsSentOverANarrowLine(int mebibytes) throws Exception {
        long bits = Long.getLong("kjadm.distance.mbits", 100) * 1_000_000;
        EtcdCluster cluster =
                first(Duration.ofMillis(1), bits, List.of("--quota-backend-bytes=" + (17L << 30)));
        fill(cluster.members().getFirst().clientUrls().getFirst(), mebibytes);
        Joined joined = join(cluster, "m2", Duration.ofMillis(1), bits);
        tell("1 ms, %d Mbit/s".formatted(bits / 1_000_000), 2, mebibytes, joined);
        assertEquals(2, EtcdHealth.ask(cluster).healthyVoters());
    }

    private SlowLink link(URI to, Duration roundTrip, long bits) {
        SlowLink link = new SlowLink(to, roundTrip, bits);
        links.add(link);
        return link;
    }

    private EtcdCluster first(Duration roundTrip, long bits, List<String> flags) throws Exception {
        URI peer = EtcdProcess.freeUrl();
        SlowLink peers = link(peer, roundTrip, bits);
        EtcdProcess etcd =
                EtcdProcess.together(binary, folder, Map.of("m1", peers.url())).getFirst();
        EtcdProcess placed = placed(etcd, peer, roundTrip).with(flags.toArray(String[]::new));
        return etcds.leading(placed);
    }

    /** Listens where its links lead to. */
    private EtcdProcess placed(EtcdProcess etcd, URI peer, Duration roundTrip) {
        SlowLink clients = link(etcd.clientUrl(), roundTrip, 0);
        return etcd.with("--listen-peer-urls=" + peer, "--advertise-client-urls=" + clients.url());
    }

    /**
     * How long a join took.
     *
     * @param quiet the longest time in which what it waits for stayed the same
     */
    private record Joined(Duration whole, Duration quiet) {}

    private Joined join(EtcdCluster cluster, String name, Duration roundTrip, long bits) {
        URI peer = EtcdProcess.freeUrl();
        SlowLink peers = link(peer, roundTrip, bits);
        Instant begun = Instant.now();
        News news = new News();
        new LoopbackJoin(
                        etcds,
                        cluster,
                        binary,
                        folder,
                        new NewMember(name, peers.url()),
                        new LearnerMemberAdder(),
                        etcd -> placed(etcd, peer, roundTrip)
                                .with("--quota-backend-bytes=" + (17L << 30)))
                .finish(JoinLimits.DEFAULTS.total(), news::told);
        return new Joined(Duration.between(begun, Instant.now()), news.longest);
    }

    /** When the join last said something else. */
    private static final class News {

        private String last = "";
        private Instant since = Instant.now();
        private Duration longest = Duration.ZERO;

        void told(JoinStep.Waiting waiting) {
            Instant now = Instant.now();
            String text = waiting.detail() + waiting.progress();
            if (!text.equals(last)) {
                last = text;
                since = now;
            }
            Duration quiet = Duration.between(since, now);
            longest = quiet.compareTo(longest) > 0 ? quiet : longest;
        }
    }

    private static void fill(URI client, int mebibytes) throws Exception {
        byte[] value = new byte[VALUE];
        new Random(1).nextBytes(value);
        Base64.Encoder base64 = Base64.getEncoder();
        String text = base64.encodeToString(value);
        try (HttpClient http = HttpClient.newHttpClient()) {
            for (int i = 0; i < (long) mebibytes * (1 << 20) / VALUE; i++) {
                String key = base64.encodeToString(
                        "/fill/%d".formatted(i).getBytes(StandardCharsets.UTF_8));
                HttpRequest put = HttpRequest.newBuilder(client.resolve("/v3/kv/put"))
                        .POST(HttpRequest.BodyPublishers.ofString(
                                "{\"key\":\"%s\",\"value\":\"%s\"}".formatted(key, text)))
                        .build();
                assertEquals(
                        200,
                        http.send(put, HttpResponse.BodyHandlers.ofString()).statusCode());
            }
        }
    }

    private void tell(String line, int voters, int mebibytes, Joined joined) throws Exception {
        Path file = Path.of(System.getProperty("kjadm.distance"));
        Files.createDirectories(file.getParent());
        Files.writeString(
                file,
                "%s\t%s\t%d\t%d\t%.1f\t%.1f%n"
                        .formatted(
                                binary.version(),
                                line,
                                voters,
                                mebibytes,
                                joined.whole().toMillis() / 1e3,
                                joined.quiet().toMillis() / 1e3),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }
}
