package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;

import io.etcd.jetcd.api.StatusResponse;
import io.kjadm.etcd.MemberStatus.Versions;

import org.junit.jupiter.api.Test;

import java.util.Optional;

/** Fields of {@code rpc.proto} that came with etcd 3.6, by their numbers. */
class EtcdMessagesTest {

    private static final int STORAGE_VERSION = 11;
    private static final int DOWNGRADE_INFO = 13;

    private static Versions versions(UnknownFieldSet fields) {
        return EtcdMessages.status(StatusResponse.newBuilder()
                        .setVersion("3.6.8")
                        .setUnknownFields(fields)
                        .build())
                .versions();
    }

    private static Field bytes(ByteString content) {
        return Field.newBuilder().addLengthDelimited(content).build();
    }

    @Test
    void anOlderMemberTellsItsOwnVersionAlone() {
        assertEquals(
                Versions.of(new EtcdVersion(3, 6, 8)),
                versions(UnknownFieldSet.getDefaultInstance()));
        assertEquals(
                Optional.empty(),
                versions(UnknownFieldSet.newBuilder()
                                .addField(STORAGE_VERSION, bytes(ByteString.EMPTY))
                                .build())
                        .storage());
    }

    @Test
    void theVersionOfTheDataAndADowngradeAreRead() {
        UnknownFieldSet enabled = UnknownFieldSet.newBuilder()
                .addField(1, Field.newBuilder().addVarint(1).build())
                .build();
        assertEquals(
                new Versions(new EtcdVersion(3, 6, 8), Optional.of(new EtcdVersion(3, 5, 0)), true),
                versions(UnknownFieldSet.newBuilder()
                        .addField(STORAGE_VERSION, bytes(ByteString.copyFromUtf8("3.5.0")))
                        .addField(DOWNGRADE_INFO, bytes(enabled.toByteString()))
                        .build()));
    }

    @Test
    void whereADowngradeLeadsIsRead() {
        UnknownFieldSet enabled = UnknownFieldSet.newBuilder()
                .addField(1, Field.newBuilder().addVarint(1).build())
                .addField(2, bytes(ByteString.copyFromUtf8("3.5.0")))
                .build();
        assertEquals(
                Optional.of(new EtcdVersion(3, 5, 0)),
                versions(UnknownFieldSet.newBuilder()
                                .addField(DOWNGRADE_INFO, bytes(enabled.toByteString()))
                                .build())
                        .downgradeTarget());
    }
}
