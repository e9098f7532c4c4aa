package io.kjadm.cli.listing;

import io.kjadm.cli.console.TextTable;
import io.kjadm.cli.output.Fields;
import io.kjadm.core.etcd.commands.EtcdStatus;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.Member;

import java.util.List;
import java.util.Map;

/** Alarms as {@code etcd alarm list} and other commands show them. */
public final class EtcdAlarmListing {

    private EtcdAlarmListing() {}

    public static String table(EtcdStatus status) {
        if (status.alarms().isEmpty()) {
            return "No alarm is raised\n";
        }
        TextTable table = new TextTable(List.of("ALARM", "MEMBER", "NAME"));
        for (Alarm alarm : status.alarms()) {
            table.row(List.of(alarm.kind(), alarm.memberId().toString(), name(status, alarm)));
        }
        return table.text();
    }

    private static String name(EtcdStatus status, Alarm alarm) {
        return status.members().stream()
                .map(EtcdStatus.Row::member)
                .filter(member -> member.id().equals(alarm.memberId()))
                .map(Member::label)
                .findFirst()
                .orElse("<not listed>");
    }

    /** One object per alarm. */
    public static List<Map<String, Object>> objects(EtcdStatus status) {
        return status.alarms().stream()
                .map(alarm -> new Fields()
                        .put("alarm", alarm.kind())
                        .put("member", alarm.memberId().toString())
                        .put("name", name(status, alarm))
                        .ownObject("EtcdAlarm"))
                .toList();
    }

    /** As an object in another one. */
    static Fields fields(Alarm alarm) {
        return new Fields().put("member", alarm.memberId().toString()).put("kind", alarm.kind());
    }
}
