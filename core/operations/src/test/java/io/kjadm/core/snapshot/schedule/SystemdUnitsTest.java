package io.kjadm.core.snapshot.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.UsageException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

class SystemdUnitsTest {

    @ParameterizedTest
    @CsvSource({
        "PT1M, * * * * *, *-*-* *:00/1:00",
        "PT15M, */15 * * * *, *-*-* *:00/15:00",
        "PT1H, 0 * * * *, *-*-* 00/1:00:00",
        "PT6H, 0 */6 * * *, *-*-* 00/6:00:00",
        "PT24H, 0 0 * * *, *-*-* 00:00:00",
    })
    void theSameTimesEveryDay(Duration length, String cron, String calendar) {
        Interval interval = new Interval(length);
        assertEquals(cron, interval.cron());
        assertEquals(calendar, interval.calendar());
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1H", "PT30S", "PT7M", "PT5H", "PT90M", "PT48H"})
    void whatDividesNeitherAnHourNorADayIsRefused(Duration length) {
        assertThrows(UsageException.class, () -> new Interval(length));
    }

    @Test
    void wordsReachTheProgramAsTheyWereTyped() {
        String text = new SystemdUnits(
                        new Interval(Duration.ofHours(1)),
                        Path.of("/opt/kjadm/bin/kjadm"),
                        List.of(
                                "save",
                                "--label=reason=a $day, \"100%\" \\",
                                "--store=s3://b/p%20"),
                        List.of("prune"),
                        List.of())
                .text();

        assertEquals(
                List.of(
                        "/opt/kjadm/bin/kjadm save \"--label=reason=a $$day, \\\"100%%\\\" \\\\\" \"--store=s3://b/p%%20\"",
                        "/opt/kjadm/bin/kjadm prune"),
                settings(text, "ExecStart"));
        assertEquals(List.of("-/etc/kjadm/etcd-snapshot.env"), settings(text, "EnvironmentFile"));
    }

    /** The values of a setting, in the order of its lines. */
    private static List<String> settings(String text, String name) {
        return text.lines()
                .filter(line -> line.startsWith(name + "="))
                .map(line -> line.substring(name.length() + 1))
                .toList();
    }

    private static String service(List<String> save, Path... written) {
        return new SystemdUnits(
                        new Interval(Duration.ofHours(1)),
                        Path.of("/opt/kjadm/bin/kjadm"),
                        save,
                        List.of("prune"),
                        List.of(written))
                .text();
    }

    @Test
    void aLineEndBeginsNoOtherSetting() {
        String text = service(List.of("save", "--label=a=b\nUser=nobody"));
        assertEquals(
                List.of(
                        "/opt/kjadm/bin/kjadm save \"--label=a=b\\x0aUser=nobody\"",
                        "/opt/kjadm/bin/kjadm prune"),
                settings(text, "ExecStart"));
        assertEquals(List.of(), settings(text, "User"));
    }

    @Test
    void theServiceWritesToItsFoldersAlone() {
        String text = service(List.of("save"), Path.of("/var/backups/my etcd"), Path.of("/m"));
        assertEquals(List.of("strict"), settings(text, "ProtectSystem"));
        assertEquals(List.of("-/m", "-\"/var/backups/my etcd\""), settings(text, "ReadWritePaths"));
        assertEquals(
                List.of(
                        "+/bin/mkdir -p -m 0755 /m",
                        "+/bin/mkdir -p -m 0755 \"/var/backups/my etcd\""),
                settings(text, "ExecStartPre"));
        assertEquals(
                List.of("/m", "\"/var/backups/my etcd\""), settings(text, "RequiresMountsFor"));
        assertEquals(List.of("yes"), settings(text, "NoNewPrivileges"));
        assertEquals(List.of("yes"), settings(text, "PrivateTmp"));
    }

    @Test
    void theMachinesTmpStaysVisibleWhereItIsNamed() {
        String text = service(List.of("save", "--work-dir=/var/tmp"), Path.of("/var/tmp"));
        assertEquals(List.of(), settings(text, "PrivateTmp"));
    }
}
