package io.kjadm.etcd;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;

import io.etcd.jetcd.api.AlarmMember;
import io.etcd.jetcd.api.AlarmType;
import io.etcd.jetcd.api.DefragmentRequest;
import io.etcd.jetcd.api.DefragmentResponse;
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
    private static final int DOWNGRADE_TARGET = 2;
    private static final int ACTION = 1;
    private static final int TARGET = 2;
    private static final int CLUSTER_VERSION = 2;

    private EtcdMessages() {}

    /** What is asked about a downgrade, by its number on the wire. */
    enum DowngradeAction {
        VALIDATE(0),
        ENABLE(1),
        CANCEL(2);

        private final long number;

        DowngradeAction(long number) {
            this.number = number;
        }

        long number() {
            return number;
        }
    }

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
            default ->
                throw new IllegalArgumentException("an alarm that cannot be disarmed: " + alarm);
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
                new MemberIds(
                        Long.toHexString(status.getHeader().getClusterId()),
                        new MemberId(status.getHeader().getMemberId())),
                new MemberId(status.getLeader()),
                versions(status),
                database(status),
                new MemberStatus.Raft(
                        status.getRaftTerm(), status.getRaftIndex(), status.getRaftAppliedIndex()),
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

    private static MemberStatus.Versions versions(StatusResponse status) {
        Optional<String> downgrade = downgrade(status);
        return new MemberStatus.Versions(
                EtcdVersion.parse(status.getVersion()),
                lastText(status.getUnknownFields(), STORAGE_VERSION).map(EtcdVersion::parse),
                downgrade.isPresent(),
                downgrade.filter(target -> !target.isEmpty()).map(EtcdMessages::version));
    }

    /** Of a downgrade that is under way, the target as it is told; an empty text if it is not. */
    private static Optional<String> downgrade(StatusResponse status) {
        for (ByteString info :
                status.getUnknownFields().getField(DOWNGRADE_INFO).getLengthDelimitedList()) {
            try {
                UnknownFieldSet told = UnknownFieldSet.parseFrom(info);
                return told.getField(DOWNGRADE_ENABLED).getVarintList().contains(1L)
                        ? Optional.of(lastText(told, DOWNGRADE_TARGET).orElse(""))
                        : Optional.empty();
            } catch (InvalidProtocolBufferException e) {
                throw new IllegalArgumentException(
                        "unreadable downgrade information in a status", e);
            }
        }
        return Optional.empty();
    }

    private static Optional<String> lastText(UnknownFieldSet fields, int number) {
        return fields.getField(number).getLengthDelimitedList().stream()
                .map(ByteString::toStringUtf8)
                .filter(text -> !text.isBlank())
                .reduce((_, last) -> last);
    }

    /**
     * A request about a downgrade: jetcd has no class for it, and one without fields of its own
     * carries any.
     *
     * @param target of the downgrade, {@code 3.5} for example
     */
    static DefragmentRequest downgradeRequest(DowngradeAction action, String target) {
        return DefragmentRequest.newBuilder()
                .setUnknownFields(UnknownFieldSet.newBuilder()
                        .addField(
                                ACTION,
                                UnknownFieldSet.Field.newBuilder()
                                        .addVarint(action.number())
                                        .build())
                        .addField(
                                TARGET,
                                UnknownFieldSet.Field.newBuilder()
                                        .addLengthDelimited(ByteString.copyFromUtf8(target))
                                        .build())
                        .build())
                .build();
    }

    /** The version that the cluster has, as the answer to such a request tells it. */
    static EtcdVersion clusterVersion(DefragmentResponse answer) {
        return lastText(answer.getUnknownFields(), CLUSTER_VERSION)
                .map(EtcdMessages::version)
                .orElseThrow(() -> new IllegalArgumentException(
                        "the answer about a downgrade has no cluster version"));
    }

    /** Cluster versions are told with and without a patch release. */
    private static EtcdVersion version(String text) {
        return EtcdVersion.parse(text.indexOf('.') == text.lastIndexOf('.') ? text + ".0" : text);
    }

    private static List<URI> uris(List<String> texts) {
        return texts.stream().map(URI::create).toList();
    }
}
