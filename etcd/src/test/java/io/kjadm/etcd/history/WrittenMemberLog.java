package io.kjadm.etcd.history;

import static io.kjadm.etcd.check.WalFile.bytes;
import static io.kjadm.etcd.check.WalFile.message;
import static io.kjadm.etcd.check.WalFile.number;
import static io.kjadm.etcd.check.WalFile.string;

import com.google.protobuf.UnknownFieldSet;

import io.kjadm.etcd.check.WalFile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes a member's log as etcd does, entry by entry, in a term that can be raised. */
final class WrittenMemberLog {

    private static final int STATE = 3;

    private final WalFile file = new WalFile().startFile(0);
    private long term = 2;
    private long index;

    /** An entry behind the last one. */
    WrittenMemberLog write(Request request) {
        UnknownFieldSet.Builder content =
                message().addField(100, bytes(message().addField(1, number(7))));
        switch (request) {
            case Request.Put put ->
                content.addField(
                        4, bytes(EtcdCalls.putRequest(put.key(), put.value()).toByteString()));
            case Request.Delete delete ->
                content.addField(5, bytes(EtcdCalls.deleteRequest(delete).toByteString()));
            case Request.PutWith put ->
                content.addField(6, bytes(EtcdCalls.transaction(put).toByteString()));
            case Request.PutIf put ->
                content.addField(6, bytes(EtcdCalls.transaction(put).toByteString()));
            case Request.Get ignored -> throw new IllegalArgumentException("a get is not logged");
        }
        return entry(content);
    }

    /** A member raises the alarm that its space is used up, or somebody disarms it. */
    WrittenMemberLog alarm(long member, boolean raised) {
        return entry(message()
                .addField(100, bytes(message().addField(1, number(7))))
                .addField(
                        10,
                        bytes(message()
                                .addField(1, number(raised ? 1 : 2))
                                .addField(2, number(member))
                                .addField(3, number(1)))));
    }

    /** The entry by which a member of etcd 3.5 publishes its name. */
    WrittenMemberLog publish() {
        return entry(message()
                .addField(1, number(7))
                .addField(2, string("PUT"))
                .addField(3, string("/0/members/1/attributes"))
                .addField(4, string("{\"name\":\"cp-1\"}")));
    }

    private WrittenMemberLog entry(UnknownFieldSet.Builder content) {
        index++;
        file.record(
                WalFile.ENTRY,
                message()
                        .addField(2, number(term))
                        .addField(3, number(index))
                        .addField(4, bytes(content)));
        return this;
    }

    /** Everything so far is known to be committed. */
    WrittenMemberLog commit() {
        file.record(STATE, message().addField(1, number(term)).addField(3, number(index)));
        return this;
    }

    /** A new leader's entries follow behind that one. */
    WrittenMemberLog newLeaderFrom(long lastKept) {
        term++;
        index = lastKept;
        return this;
    }

    MemberLog in(Path dataDir) throws IOException {
        Path folder = Files.createDirectories(dataDir.resolve("member").resolve("wal"));
        Files.write(
                folder.resolve("0000000000000000-0000000000000000.wal"),
                file.zeros(64).content());
        return MemberLog.read(dataDir);
    }
}
