package io.kjadm.core.fuzz;

import io.kjadm.core.etcd.check.DataDirFuzz;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.recover.RecoverFuzz;
import io.kjadm.core.snapshot.SnapshotFuzz;
import io.kjadm.core.snapshot.pki.PkiArchive;
import io.kjadm.core.snapshot.pki.PkiFile;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SnapshotBytes;
import io.kjadm.etcd.fuzz.Fuzz;
import io.kjadm.etcd.fuzz.Fuzz.Target;
import io.kjadm.etcd.snapshot.SnapshotVerifier;
import io.kjadm.etcd.snapshot.SnapshotVerifier.Verdict;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * Reads mutated databases, logs, manifests, bundles of keys and lists of members with the readers of
 * the program: {@code InputFuzz FIRST SECONDS} from the input of that number on, {@code InputFuzz
 * NUMBER} that one alone.
 */
final class InputFuzz {

    private InputFuzz() {}

    public static void main(String[] numbers) throws Exception {
        Fuzz fuzz = new Fuzz(targets());
        long first = Long.parseLong(numbers[0]);
        if (numbers.length == 1) {
            fuzz.one(first);
        } else {
            fuzz.run(first, Long.parseLong(numbers[1]));
        }
    }

    private static List<Target> targets() throws IOException {
        List<Target> targets = new ArrayList<>();
        targets.add(new Target("database", databases(), InputFuzz::readDatabase));
        targets.addAll(DataDirFuzz.targets());
        targets.addAll(SnapshotFuzz.targets());
        targets.addAll(RecoverFuzz.targets());
        targets.add(new Target("keys", List.of(keys()), InputFuzz::readKeys));
        return targets;
    }

    /** Those that etcd has made, without the sum behind them, which no mutated one would have. */
    private static List<byte[]> databases() throws IOException {
        List<byte[]> databases = new ArrayList<>();
        for (String version : List.of("3.5.30", "3.6.14")) {
            String name = "/io/kjadm/etcd/snapshot/etcd-%s.db.gz".formatted(version);
            try (InputStream packed =
                    new GZIPInputStream(InputFuzz.class.getResourceAsStream(name))) {
                byte[] snapshot = packed.readAllBytes();
                databases.add(Arrays.copyOf(snapshot, snapshot.length - 32));
            }
        }
        databases.add(SnapshotBytes.database(200, 0));
        databases.add(SnapshotBytes.listing(List.of(member(1), member(2), member(3))));
        byte[] value = SnapshotBytes.withValue(SnapshotBytes.database(120, 0));
        databases.add(Arrays.copyOf(value, value.length - 32));
        return databases;
    }

    /** Whose entry is longer than a page. */
    private static Member member(int number) {
        URI url = URI.create("https://node%d.example.com:2380".formatted(number));
        return new Member(
                new MemberId(number),
                "node" + number,
                Collections.nCopies(120, url),
                List.of(url),
                false);
    }

    private static boolean readDatabase(byte[] input) throws IOException {
        SnapshotVerifier verifier = new SnapshotVerifier(OutputStream.nullOutputStream());
        for (int at = 0; at < input.length; at += 3000) {
            verifier.write(input, at, Math.min(3000, input.length - at));
        }
        boolean whole = verifier.verdict() instanceof Verdict.Whole;
        verifier.members();
        return whole;
    }

    private static byte[] keys() throws IOException {
        ByteArrayOutputStream archive = new ByteArrayOutputStream();
        List<PkiFile> files = new ArrayList<>();
        for (String name : List.of("ca.crt", "ca.key", "etcd/ca.crt", "etcd/ca.key", "sa.key")) {
            files.add(new PkiFile(
                    Path.of("etc/kubernetes/pki", name),
                    FileMode.OWNER_ONLY,
                    "-----BEGIN-----\n".repeat(40).getBytes(StandardCharsets.UTF_8)));
        }
        PkiArchive.write(files, archive);
        return archive.toByteArray();
    }

    private static boolean readKeys(byte[] input) {
        try {
            PkiArchive.read(new ByteArrayInputStream(input));
            return true;
        } catch (IOException refused) {
            return false;
        }
    }
}
