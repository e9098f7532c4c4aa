package io.kjadm.etcd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.check.WalReader.DamagedException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;

/** Logs written here; those that etcd wrote are read in {@code EtcdProbeIT}. */
class WalReaderTest {

    /** Unsigned: the ID of many a real member has its top bit set. */
    private static final long MEMBER = 0x8e9e05c52164694dL;

    private static final long CLUSTER = 0xcdf818194e3a8c32L;

    private final ByteArrayOutputStream file = new ByteArrayOutputStream();
    private int sum;

    private static UnknownFieldSet.Builder message() {
        return UnknownFieldSet.newBuilder();
    }

    private static Field number(long value) {
        return Field.newBuilder().addVarint(value).build();
    }

    private static Field bytes(UnknownFieldSet.Builder nested) {
        return Field.newBuilder()
                .addLengthDelimited(nested.build().toByteString())
                .build();
    }

    private static Field string(String text) {
        return Field.newBuilder()
                .addLengthDelimited(ByteString.copyFromUtf8(text))
                .build();
    }

    private void startFile(int sumBefore) {
        sum = sumBefore;
        frame(message().addField(1, number(4)).addField(2, number(Integer.toUnsignedLong(sum))));
    }

    private void record(int type, UnknownFieldSet.Builder content) {
        ByteString data = content.build().toByteString();
        sum = WalReader.crc32c(sum, data.toByteArray());
        frame(message()
                .addField(1, number(type))
                .addField(2, number(Integer.toUnsignedLong(sum)))
                .addField(3, Field.newBuilder().addLengthDelimited(data).build()));
    }

    private void frame(UnknownFieldSet.Builder record) {
        byte[] content = record.build().toByteArray();
        int padding = (8 - content.length % 8) % 8;
        long frame = content.length | (padding == 0 ? 0 : (0x80L | padding) << 56);
        file.writeBytes(ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(frame)
                .array());
        file.writeBytes(content);
        file.writeBytes(new byte[padding]);
    }

    private void metadata() {
        record(1, message().addField(1, number(MEMBER)).addField(2, number(CLUSTER)));
    }

    private void clusterVersion(String version) {
        record(
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

    private WalIdentity read() throws DamagedException, IOException {
        return read(file.toByteArray());
    }

    private static WalIdentity read(byte[] file) throws DamagedException, IOException {
        return WalReader.read(new ByteArrayInputStream(file));
    }

    @Test
    void theFirstFileOfALogTellsMemberAndCluster() throws Exception {
        startFile(0);
        metadata();
        file.writeBytes(new byte[4096]);
        assertEquals(
                new WalIdentity("cdf818194e3a8c32", new MemberId(MEMBER), Optional.empty()),
                read());
    }

    @Test
    void aLaterFileGoesOnWithTheSumOfTheOneBefore() throws Exception {
        startFile(0x1234abcd);
        metadata();
        assertEquals(new MemberId(MEMBER), read().memberId());
    }

    @Test
    void theHighestVersionSeenCounts() throws Exception {
        startFile(0);
        metadata();
        clusterVersion("3.5.0");
        clusterVersion("3.6.0");
        record(2, message().addField(4, string("not a request")));
        assertEquals(Optional.of(new EtcdVersion(3, 6, 0)), read().clusterVersion());
    }

    @Test
    void aVersionInTheOldFormIsReadToo() throws Exception {
        startFile(0);
        metadata();
        record(
                2,
                message()
                        .addField(
                                4,
                                bytes(message()
                                        .addField(2, string("PUT"))
                                        .addField(3, string("/0/version"))
                                        .addField(4, string("3.4.0")))));
        record(
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
        startFile(0);
        metadata();
        clusterVersion("3.6.0");
        byte[] whole = file.toByteArray();
        byte[] torn = Arrays.copyOf(whole, whole.length - 8);
        assertEquals(
                new WalIdentity("cdf818194e3a8c32", new MemberId(MEMBER), Optional.empty()),
                read(torn));
    }

    @Test
    void anOlderVersionThatIsSetLaterDoesNotCount() throws Exception {
        startFile(0);
        metadata();
        clusterVersion("3.6.0");
        clusterVersion("3.5.0");
        assertEquals(Optional.of(new EtcdVersion(3, 6, 0)), read().clusterVersion());
    }

    @Test
    void theFirstMetadataOfAFileCounts() throws Exception {
        startFile(0);
        metadata();
        record(1, message().addField(1, number(1)).addField(2, number(2)));
        clusterVersion("3.6.0");
        assertEquals(new MemberId(MEMBER), read().memberId());
    }

    @Test
    void onlyEntriesTellAVersion() throws Exception {
        startFile(0);
        metadata();
        record(
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
        startFile(0);
        metadata();
        startFile(sum);
        clusterVersion("3.6.0");
        assertEquals(Optional.of(new EtcdVersion(3, 6, 0)), read().clusterVersion());
        startFile(sum + 1);
        clusterVersion("3.7.0");
        assertEquals(
                Optional.of(new EtcdVersion(3, 6, 0)),
                read().clusterVersion(),
                "behind damage nothing is believed");
    }

    @Test
    void aRecordWithoutDataIsNoMetadata() {
        startFile(0);
        record(9, message());
        assertTrue(assertThrows(DamagedException.class, this::read)
                .getMessage()
                .contains("no metadata"));
    }

    @Test
    void whatFollowsTheZerosIsNotRead() throws Exception {
        startFile(0);
        metadata();
        file.writeBytes(new byte[8]);
        clusterVersion("3.6.0");
        assertEquals(Optional.empty(), read().clusterVersion());
    }

    @Test
    void aTornPaddingIsATornRecord() throws Exception {
        startFile(0);
        metadata();
        int before = file.size();
        clusterVersion("3.6.0");
        byte[] whole = file.toByteArray();
        int padding = whole[before + 7] & 7;
        assertTrue(padding > 0, "this record has some");
        assertEquals(
                Optional.empty(), read(Arrays.copyOf(whole, whole.length - 1)).clusterVersion());
    }

    @Test
    void aRecordAsLongAsEtcdMakesThemIsRead() throws Exception {
        startFile(0);
        metadata();
        int more = 10 * 1024 * 1024 - 20;
        UnknownFieldSet.Builder large = message()
                .addField(
                        4,
                        Field.newBuilder()
                                .addLengthDelimited(ByteString.copyFrom(new byte[more]))
                                .build());
        record(2, large);
        clusterVersion("3.6.0");
        assertEquals(Optional.of(new EtcdVersion(3, 6, 0)), read().clusterVersion());
    }

    @Test
    void aWrongChecksumIsDamage() {
        startFile(0);
        metadata();
        byte[] bytes = file.toByteArray();
        bytes[bytes.length - 12] ^= 1;
        assertTrue(assertThrows(DamagedException.class, () -> read(bytes)).getMessage() != null);
    }

    @Test
    void aRecordOfImpossibleLengthIsDamageAndTakesNoMemory() {
        byte[] frame = {0, 0, 0, 0, 0, 1, 0, 0, 1};
        assertThrows(DamagedException.class, () -> read(frame));
        byte[] noInteger = {0, 0, 0, (byte) 0x80, 0, 0, 0, 0, 1};
        assertThrows(DamagedException.class, () -> read(noInteger));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "w", "something that is no log at all, but long enough"})
    void whatIsNoLogIsDamage(String content) {
        assertThrows(DamagedException.class, () -> read(content.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void aLogWithoutMetadataIsDamage() {
        startFile(0);
        assertTrue(assertThrows(DamagedException.class, this::read)
                .getMessage()
                .contains("no metadata"));
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
