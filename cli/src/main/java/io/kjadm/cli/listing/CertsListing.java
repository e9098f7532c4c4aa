package io.kjadm.cli.listing;

import io.kjadm.cli.console.TextTable;
import io.kjadm.cli.output.Fields;
import io.kjadm.core.etcd.ca.CertificateProbe.Answer;
import io.kjadm.core.etcd.ca.Expirations;
import io.kjadm.core.etcd.ca.Expirations.Expiration;
import io.kjadm.core.etcd.ca.Expirations.Served;
import io.kjadm.pki.CertificateInfo;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The ends of certificates as {@code certs check-expiration} shows them, in kubeadm's form. */
public record CertsListing(Expirations expirations) {

    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern(
                    "MMM dd, yyyy HH:mm 'UTC'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);
    private static final int DAY_HOURS = 24;
    private static final int YEAR_DAYS = 365;

    /** Two tables, certificates and CAs; a third if servers were asked. */
    public String tables() {
        TextTable certificates = new TextTable(List.of(
                "CERTIFICATE",
                "EXPIRES",
                "RESIDUAL TIME",
                "CERTIFICATE AUTHORITY",
                "EXTERNALLY MANAGED"));
        expirations
                .certificates()
                .forEach(one -> certificates.row(
                        row(one, one.end().flatMap(_ -> one.caName()).orElse(""))));
        TextTable authorities = new TextTable(
                List.of("CERTIFICATE AUTHORITY", "EXPIRES", "RESIDUAL TIME", "EXTERNALLY MANAGED"));
        expirations.authorities().forEach(one -> authorities.row(row(one)));
        String own = certificates.text() + "\n" + authorities.text();
        return expirations.served().isEmpty() ? own : own + "\n" + servers().text();
    }

    private List<String> row(Expiration one, String caName) {
        List<String> narrow = row(one);
        return List.of(narrow.get(0), narrow.get(1), narrow.get(2), caName, narrow.get(3));
    }

    private List<String> row(Expiration one) {
        return one.end()
                .map(end -> List.of(
                        one.name(),
                        DATE.format(end),
                        residual(end),
                        "%-8s".formatted(one.external() ? "yes" : "no")))
                .orElseGet(() -> List.of("!MISSING! " + one.name(), "", "", ""));
    }

    private TextTable servers() {
        TextTable table = new TextTable(
                List.of("SERVER", "ADDRESS", "EXPIRES", "RESIDUAL TIME", "SERIAL NUMBER"));
        for (Served served : expirations.served()) {
            table.row(
                    switch (served.answer()) {
                        case Answer.Shown(CertificateInfo shown) ->
                            List.of(
                                    served.component(),
                                    served.server(),
                                    DATE.format(shown.notAfter()),
                                    residual(shown.notAfter()),
                                    serial(shown));
                        case Answer.Unseen(String why) ->
                            List.of(served.component(), served.server(), "?", "?", why);
                    });
        }
        return table;
    }

    private static String serial(CertificateInfo certificate) {
        return certificate.serialNumber().toString(16);
    }

    private String residual(Instant end) {
        return human(Duration.between(expirations.now(), end));
    }

    /** As kubectl writes durations ({@code apimachinery/pkg/util/duration}). */
    static String human(Duration left) {
        long seconds = left.toSeconds();
        if (seconds < -1) {
            return "<invalid>";
        }
        if (seconds < 120) {
            return Math.max(0, seconds) + "s";
        }
        long minutes = left.toMinutes();
        if (minutes < 180) {
            return minutes < 10 ? both(minutes, "m", left.toSecondsPart(), "s") : minutes + "m";
        }
        long hours = left.toHours();
        if (hours < 48) {
            return hours < 8 ? both(hours, "h", left.toMinutesPart(), "m") : hours + "h";
        }
        long days = hours / DAY_HOURS;
        if (days < 2 * YEAR_DAYS) {
            return days < 8 ? both(days, "d", hours % DAY_HOURS, "h") : days + "d";
        }
        long years = days / YEAR_DAYS;
        return years < 8 ? both(years, "y", days % YEAR_DAYS, "d") : years + "y";
    }

    private static String both(long large, String unit, long small, String smallUnit) {
        return small == 0 ? large + unit : large + unit + small + smallUnit;
    }

    /** The object that kubeadm writes; what only this program knows is a list of its own. */
    public Map<String, Object> object() {
        return new Fields()
                .put("certificates", expirations.certificates(), this::item)
                .put("certificateAuthorities", expirations.authorities(), this::item)
                .ifAny("servers", expirations.served(), this::server)
                .object("CertificateExpirationInfo");
    }

    private Fields item(Expiration one) {
        return new Fields()
                .put("name", one.name())
                .put("expirationDate", one.end().map(CertsListing::rfc3339).orElse(null))
                .put("residualTime", one.end().map(this::seconds).orElse(0L))
                .put("externallyManaged", one.end().isPresent() && one.external())
                .ifAny("caName", one.end().flatMap(_ -> one.caName()))
                .put("missing", one.end().isEmpty());
    }

    private Fields server(Served served) {
        Fields fields =
                new Fields().put("component", served.component()).put("address", served.server());
        return switch (served.answer()) {
            case Answer.Shown(CertificateInfo shown) ->
                fields.put("expirationDate", rfc3339(shown.notAfter()))
                        .put("residualTime", seconds(shown.notAfter()))
                        .put("serialNumber", serial(shown));
            case Answer.Unseen(String why) -> fields.put("problem", why);
        };
    }

    private static String rfc3339(Instant end) {
        return end.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private long seconds(Instant end) {
        return Duration.between(expirations.now(), end).toSeconds();
    }
}
