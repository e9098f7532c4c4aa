package io.kjadm.cli.listing;

import io.kjadm.cli.console.TextTable;
import io.kjadm.cli.output.Fields;
import io.kjadm.core.etcd.upkeep.HealthReport;
import io.kjadm.core.etcd.upkeep.HealthReport.Row;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.ReadAnswer;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What {@code etcd health} shows. */
public record EtcdHealthListing(HealthReport health) {

    private static final List<String> HEADER =
            List.of("ID", "NAME", "ROLE", "SERVES", "TOOK", "PROBLEM");
    private static final String NONE = "<none>";

    /** A row for each member, and what it means for the cluster. */
    public String report() {
        TextTable table = new TextTable(HEADER);
        for (Row row : health.rows()) {
            Member member = row.member().member();
            table.row(List.of(
                    member.id().toString(),
                    member.started() ? member.name() : NONE,
                    row.member().role().text(),
                    serves(row),
                    row.read().map(EtcdHealthListing::took).orElse("-"),
                    row.problem().isEmpty() ? NONE : row.problem()));
        }
        return table.text() + "\n" + quorum() + "\n" + alarms() + "\n";
    }

    private static String serves(Row row) {
        return row.read().isEmpty()
                ? row.healthy() ? "follows" : "no"
                : row.healthy() ? "yes" : "no";
    }

    private static String took(ReadAnswer read) {
        return String.format(Locale.ROOT, "%.1f ms", read.took().toNanos() / 1e6);
    }

    private String quorum() {
        int margin = health.margin();
        return "Quorum:       %d of %d voters serve, %d have to: %s"
                .formatted(
                        health.servingVoters(),
                        health.status().voters().quorum().voters(),
                        health.status().voters().quorum().size(),
                        margin < 0
                                ? "no quorum"
                                : margin == 0 ? "none may fail" : margin + " more may fail");
    }

    private String alarms() {
        return "Alarms:       "
                + (health.status().alarms().isEmpty()
                        ? "none"
                        : health.status().alarms().stream()
                                .map(Alarm::kind)
                                .distinct()
                                .collect(Collectors.joining(", ")));
    }

    /** The whole as one object. */
    public Map<String, Object> object() {
        Fields quorum = new Fields()
                .put("voters", health.status().voters().quorum().voters())
                .put("servingVoters", health.servingVoters())
                .put("needed", health.status().voters().quorum().size())
                .put("margin", health.margin());
        return new Fields()
                .put("clusterID", health.status().clusterId())
                .put("healthy", health.healthy())
                .put("required", health.need().name().toLowerCase(Locale.ROOT))
                .put("quorum", quorum)
                .put("alarms", health.status().alarms(), EtcdAlarmListing::fields)
                .put("members", health.rows(), EtcdHealthListing::member)
                .put("time", health.status().at().toString())
                .ownObject("EtcdHealth");
    }

    private static Fields member(Row row) {
        return new Fields()
                .put("id", row.member().member().id().toString())
                .put("name", row.member().member().name())
                .put("role", row.member().role().text())
                .put("healthy", row.healthy())
                .ifAny("tookMilliseconds", row.read().map(read -> read.took().toMillis()))
                .ifAny("problem", row.problem());
    }
}
