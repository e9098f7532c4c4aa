package io.kjadm.etcd;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;

import io.etcd.jetcd.api.AlarmMember;
import io.etcd.jetcd.api.AlarmType;
import io.etcd.jetcd.api.MemberListRequest;
import io.etcd.jetcd.api.StatusResponse;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Between etcd's messages and our records, including the fields jetcd's generated classes do not
 * know yet.
 */
final class EtcdMessages {

    private static final int LINEARIZABLE = 1;
    private static final int CORRUPT = 2;
    private static final int STORAGE_VERSION = 11;
    private static final int DB_SIZE_QUOTA = 12;
    private static final int DOWNGRADE_INFO = 13;
    private static final int DOWNGRADE_ENABLED = 1;

    private EtcdMessages() {}

    /**
     * A list request that asks for the state all voters agree on; servers before 3.5 skip the
     * field.
     */
    static MemberListRequest linearizableList() {
        UnknownFieldSet.Field yes =
                UnknownFieldSet.Field.newBuilder().addVarint(1).build();
        return MemberListRequest.newBuilder()
                .setUnknownFields(
                        UnknownFieldSet.newBuilder().addField(LINEARIZABLE, yes).build())
                .build();
    }

    /** A list request that a member answers from its own memory, leader or not. */
    static MemberListRequest ownList() {
        return MemberListRequest.getDefaultInstance();
    }

    /** jetcd knows no {@code CORRUPT}, so its number is translated here. */
    static Alarm alarm(AlarmMember alarm) {
        String kind = switch (alarm.getAlarmValue()) {
            case AlarmType.NOSPACE_VALUE -> Alarm.NOSPACE;
            case CORRUPT -> Alarm.CORRUPT;
            default -> "alarm " + alarm.getAlarmValue();
        };
        return new Alarm(new MemberId(alarm.getMemberID()), kind);
    }

    /** As {@link #alarm} reads it. */
    static int alarmNumber(Alarm alarm) {
        return switch (alarm.kind()) {
            case Alarm.NOSPACE -> AlarmType.NOSPACE_VALUE;
            case Alarm.CORRUPT -> CORRUPT;
            default -> throw new IllegalArgumentException("nobody disarms " + alarm);
        };
    }

    static Member member(io.etcd.jetcd.api.Member member) {
        return new Member(
                new MemberId(member.getID()),
                member.getName(),
                uris(member.getPeerURLsList()),
                uris(member.getClientURLsList()),
                member.getIsLearner());
    }

    static List<Member> members(List<io.etcd.jetcd.api.Member> members) {
        return members.stream().map(EtcdMessages::member).toList();
    }

    static MemberStatus status(StatusResponse status) {
        return new MemberStatus(
                new MemberId(status.getHeader().getMemberId()),
                Long.toHexString(status.getHeader().getClusterId()),
                new MemberId(status.getLeader()),
                new MemberStatus.Versions(
                        EtcdVersion.parse(status.getVersion()),
                        storageVersion(status),
                        downgrading(status)),
                database(status),
                status.getRaftTerm(),
                status.getRaftIndex(),
                status.getRaftAppliedIndex(),
                status.getIsLearner(),
                status.getErrorsList());
    }

    private static MemberStatus.Database database(StatusResponse status) {
        return new MemberStatus.Database(
                status.getDbSize(),
                status.getDbSizeInUse() > 0
                        ? OptionalLong.of(status.getDbSizeInUse())
                        : OptionalLong.empty(),
                status.getUnknownFields().getField(DB_SIZE_QUOTA).getVarintList().stream()
                        .mapToLong(Long::longValue)
                        .filter(bytes -> bytes > 0)
                        .findFirst());
    }

    private static Optional<EtcdVersion> storageVersion(StatusResponse status) {
        return status.getUnknownFields().getField(STORAGE_VERSION).getLengthDelimitedList().stream()
                .map(ByteString::toStringUtf8)
                .filter(text -> !text.isBlank())
                .map(EtcdVersion::parse)
                .reduce((_, last) -> last);
    }

    private static boolean downgrading(StatusResponse status) {
        for (ByteString info :
                status.getUnknownFields().getField(DOWNGRADE_INFO).getLengthDelimitedList()) {
            try {
                return UnknownFieldSet.parseFrom(info)
                        .getField(DOWNGRADE_ENABLED)
                        .getVarintList()
                        .contains(1L);
            } catch (InvalidProtocolBufferException e) {
                throw new IllegalArgumentException(
                        "unreadable downgrade information in a status", e);
            }
        }
        return false;
    }

    private static List<URI> uris(List<String> texts) {
        return texts.stream().map(URI::create).toList();
    }
}
