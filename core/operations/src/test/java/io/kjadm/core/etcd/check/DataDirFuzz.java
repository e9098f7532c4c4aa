package io.kjadm.core.etcd.check;

import com.google.protobuf.ByteString;

import io.kjadm.etcd.check.WalFile;
import io.kjadm.etcd.check.WalReader;
import io.kjadm.etcd.check.WalReader.DamagedException;
import io.kjadm.etcd.fuzz.Fuzz.Target;
import io.kjadm.etcd.recover.LogScan;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;

/** Files of a member's data directory, as input that is mutated. */
public final class DataDirFuzz {

    private DataDirFuzz() {}

    public static List<Target> targets() {
        return List.of(
                new Target("log", List.of(log().content()), DataDirFuzz::readLog),
                // its bytes are of a record whose sum is made afterwards
                new Target(
                        "entry",
                        List.of(entry()),
                        input -> readLog(new WalFile()
                                .startFile(0)
                                .record(1, WalFile.message().addField(1, WalFile.number(1)))
                                .record(WalFile.ENTRY, input)
                                .content())),
                new Target("raft snapshot", List.of(snapshot()), DataDirFuzz::readSnapshot));
    }

    private static boolean readLog(byte[] input) throws Exception {
        LogScan log = new LogScan(2);
        V2ContentScan content = new V2ContentScan(false);
        boolean whole = true;
        try {
            WalReader.read(new ByteArrayInputStream(input));
        } catch (DamagedException refused) {
            whole = false;
        }
        log.file(new ByteArrayInputStream(input), true);
        content.log(new ByteArrayInputStream(input), true);
        log.gap();
        content.verdict();
        return whole;
    }

    /** The sum of the data is made afterwards, as it would refuse all others. */
    private static boolean readSnapshot(byte[] input) throws Exception {
        V2ContentScan content = new V2ContentScan(false);
        content.log(new ByteArrayInputStream(log().content()), true);
        byte[] file = summed(input);
        return content.snapshot(() -> new ByteArrayInputStream(input))
                | content.snapshot(() -> new ByteArrayInputStream(file));
    }

    private static byte[] summed(byte[] data) {
        CRC32C sum = new CRC32C();
        sum.update(data);
        return WalFile.message()
                .addField(1, WalFile.number(sum.getValue()))
                .addField(2, WalFile.bytes(ByteString.copyFrom(data)))
                .build()
                .toByteArray();
    }

    private static byte[] snapshot() {
        String store =
                "{\"Root\":{\"Path\":\"/\",\"Children\":{\"0\":{\"Children\":{}},\"1\":{\"Children\":{\"town\":{\"Value\":\"Basel\"}}}}}}";
        return WalFile.message()
                .addField(1, WalFile.string(store))
                .addField(2, WalFile.bytes(WalFile.message().addField(2, WalFile.number(4))))
                .build()
                .toByteArray();
    }

    private static byte[] entry() {
        return WalFile.message()
                .addField(1, WalFile.number(0))
                .addField(2, WalFile.number(2))
                .addField(3, WalFile.number(5))
                .addField(
                        4,
                        WalFile.bytes(WalFile.message()
                                .addField(1, WalFile.number(7))
                                .addField(2, WalFile.string("PUT"))
                                .addField(3, WalFile.string("/0/version"))
                                .addField(4, WalFile.string("3.5.0"))))
                .build()
                .toByteArray();
    }

    private static WalFile log() {
        WalFile log = new WalFile()
                .startFile(0)
                .record(
                        1,
                        WalFile.message()
                                .addField(1, WalFile.number(1))
                                .addField(2, WalFile.number(0xabc)))
                .record(
                        WalFile.SNAPSHOT,
                        WalFile.message()
                                .addField(1, WalFile.number(4))
                                .addField(2, WalFile.number(2)));
        for (int i = 0; i < 30; i++) {
            byte[] request = "a request %d".formatted(i).getBytes(StandardCharsets.UTF_8);
            log.record(
                    WalFile.ENTRY,
                    WalFile.message()
                            .addField(2, WalFile.number(2))
                            .addField(3, WalFile.number(5 + i))
                            .addField(4, WalFile.bytes(ByteString.copyFrom(request))));
            log.record(3, WalFile.message().addField(3, WalFile.number(4 + i)));
        }
        return log.record(WalFile.ENTRY, entry()).zeros(64);
    }
}
