package io.kjadm.etcd.check;

import static io.kjadm.etcd.check.WalFile.bytes;
import static io.kjadm.etcd.check.WalFile.message;
import static io.kjadm.etcd.check.WalFile.number;
import static io.kjadm.etcd.check.WalFile.string;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.check.WalReader.Damage;
import io.kjadm.etcd.check.WalReader.DamagedException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;

/** Logs written here; those that etcd wrote are read in {@code EtcdProbeIT}. */
class WalReaderTest {

    /** Unsigned: the ID of many a real member has its top bit set. */
    private static final long MEMBER = 0x8e9e05c52164694dL;

    private static final long CLUSTER = 0xcdf818194e3a8c32L;

    private final WalFile file = new WalFile();

    private void metadata() {
        file.record(1, message().addField(1, number(MEMBER)).addField(2, number(CLUSTER)));
    }

    private void clusterVersion(String version) {
        file.record(
                2,
                message()
                        .addField(2, number(3))
                        .addField(3, number(4))
                        .addField(
                                4,
                                bytes(message()
                                        .addField(
                                                1300,
                                                bytes(message().addField(1, string(version)))))));
    }

    private static void assertDamaged(Damage damage, byte[] bytes) {
        assertEquals(
                damage, assertThrows(DamagedException.class, () -> read(bytes)).damage());
    }

    private WalIdentity read() throws DamagedException, IOException {
        return read(file.content());
    }

    private static WalIdentity read(byte[] file) throws DamagedException, IOException {
        return WalReader.read(new ByteArrayInputStream(file));
    }

    @Test
    void theFirstFileOfALogTellsMemberAndCluster() throws Exception {
        file.startFile(0);
        metadata();
        file.zeros(4096);
        assertEquals(
                new WalIdentity("cdf818194e3a8c32", new MemberId(MEMBER), Optional.empty()),
                read());
    }

    @Test
    void aLaterFileGoesOnWithTheSumOfTheOneBefore() throws Exception {
        file.startFile(0x1234abcd);
        metadata();
        assertEquals(new MemberId(MEMBER), read().memberId());
    }

    @Test
    void theHighestVersionSeenCounts() throws Exception {
        file.startFile(0);
        metadata();
        clusterVersion("3.5.0");
        clusterVersion("3.6.0");
        file.record(2, message().addField(4, string("not a request")));
        assertEquals(Optional.of(new EtcdVersion(3, 6, 0)), read().clusterVersion());
    }

    @Test
    void aVersionInTheOldFormIsReadToo() throws Exception {
        file.startFile(0);
        metadata();
        file.record(
                2,
                message()
                        .addField(
                                4,
                                bytes(message()
                                        .addField(2, string("PUT"))
                                        .addField(3, string("/0/version"))
                                        .addField(4, string("3.4.0")))));
        file.record(
                2,
                message()
                        .addField(
                                4,
                                bytes(message()
                                        .addField(3, string("/0/members/a/attributes"))
                                        .addField(4, string("9.9.9")))));
        assertEquals(Optional.of(new EtcdVersion(3, 4, 0)), read().clusterVersion());
    }

    @Test
    void aTornEndIsNoHarm() throws Exception {
        file.startFile(0);
        metadata();
        clusterVersion("3.6.0");
        byte[] whole = file.content();
        byte[] torn = Arrays.copyOf(whole, whole.length - 8);
        assertEquals(
                new WalIdentity("cdf818194e3a8c32", new MemberId(MEMBER), Optional.empty()),
                read(torn));
    }

    @Test
    void anOlderVersionThatIsSetLaterDoesNotCount() throws Exception {
        file.startFile(0);
        metadata();
        clusterVersion("3.6.0");
        clusterVersion("3.5.0");
        assertEquals(Optional.of(new EtcdVersion(3, 6, 0)), read().clusterVersion());
    }

    @Test
    void theFirstMetadataOfAFileCounts() throws Exception {
        file.startFile(0);
        metadata();
        file.record(1, message().addField(1, number(1)).addField(2, number(2)));
        clusterVersion("3.6.0");
        assertEquals(new MemberId(MEMBER), read().memberId());
    }

    @Test
    void onlyEntriesTellAVersion() throws Exception {
        file.startFile(0);
        metadata();
        file.record(
                3,
                message()
                        .addField(
                                4,
                                bytes(message()
                                        .addField(
                                                1300,
                                                bytes(message().addField(1, string("3.9.0")))))));
        assertEquals(Optional.empty(), read().clusterVersion());
    }

    @Test
    void aChecksumInTheMidstOfAFileMustBeThatOfWhatCameBefore() throws Exception {
        file.startFile(0);
        metadata();
        file.startFile(file.sum());
        clusterVersion("3.6.0");
        assertEquals(Optional.of(new EtcdVersion(3, 6, 0)), read().clusterVersion());
        file.startFile(file.sum() + 1);
        clusterVersion("3.7.0");
        assertEquals(
                Optional.of(new EtcdVersion(3, 6, 0)),
                read().clusterVersion(),
                "behind damage nothing is believed");
    }

    @Test
    void aRecordWithoutDataIsNoMetadata() {
        file.startFile(0);
        file.record(9, message());
        assertDamaged(Damage.NO_METADATA, file.content());
    }

    @Test
    void whatFollowsTheZerosIsNotRead() throws Exception {
        file.startFile(0);
        metadata();
        file.zeros(8);
        clusterVersion("3.6.0");
        assertEquals(Optional.empty(), read().clusterVersion());
    }

    @Test
    void aTornPaddingIsATornRecord() throws Exception {
        file.startFile(0);
        metadata();
        int before = file.size();
        clusterVersion("3.6.0");
        byte[] whole = file.content();
        int padding = whole[before + 7] & 7;
        assertTrue(padding > 0, "this record has some");
        assertEquals(
                Optional.empty(), read(Arrays.copyOf(whole, whole.length - 1)).clusterVersion());
    }

    @Test
    void aRecordAsLongAsEtcdMakesThemIsRead() throws Exception {
        file.startFile(0);
        metadata();
        int more = 10 * 1024 * 1024 - 20;
        UnknownFieldSet.Builder large = message()
                .addField(
                        4,
                        Field.newBuilder()
                                .addLengthDelimited(ByteString.copyFrom(new byte[more]))
                                .build());
        file.record(2, large);
        clusterVersion("3.6.0");
        assertEquals(Optional.of(new EtcdVersion(3, 6, 0)), read().clusterVersion());
    }

    @Test
    void aWrongChecksumIsDamage() {
        file.startFile(0);
        metadata();
        byte[] bytes = file.content();
        bytes[bytes.length - 12] ^= 1;
        assertDamaged(Damage.CHECKSUM, bytes);
    }

    @Test
    void aRecordOfImpossibleLengthIsDamageAndTakesNoMemory() {
        byte[] frame = {0, 0, 0, 0, 0, 1, 0, 0, 1};
        assertDamaged(Damage.TOO_LONG, frame);
        byte[] noInteger = {0, 0, 0, (byte) 0x80, 0, 0, 0, 0, 1};
        assertDamaged(Damage.TOO_LONG, noInteger);
    }

    @ParameterizedTest
    @CsvSource({
        "'', NO_METADATA",
        "w, NO_METADATA",
        "'something that is no log at all, but long enough', TOO_LONG",
    })
    void whatIsNoLogIsDamage(String content, Damage damage) {
        assertDamaged(damage, content.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aLogWithoutMetadataIsDamage() {
        file.startFile(0);
        assertDamaged(Damage.NO_METADATA, file.content());
    }

    @Test
    void theSumIsThatOfTheJdkWhenItBeginsAnew() {
        byte[] data = "123456789".getBytes(StandardCharsets.US_ASCII);
        CRC32C jdk = new CRC32C();
        jdk.update(data);
        assertEquals((int) jdk.getValue(), WalReader.crc32c(0, data));
        assertEquals(
                0xe3069283,
                WalReader.crc32c(
                        WalReader.crc32c(0, new byte[] {'1', '2', '3'}),
                        "456789".getBytes(StandardCharsets.US_ASCII)));
    }
}
