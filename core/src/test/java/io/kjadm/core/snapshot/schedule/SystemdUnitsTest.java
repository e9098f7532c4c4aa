package io.kjadm.core.snapshot.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

        assertTrue(
                text.contains(
                        "ExecStart=/opt/kjadm/bin/kjadm save \"--label=reason=a $$day, \\\"100%%\\\" \\\\\" \"--store=s3://b/p%%20\"\n"),
                text);
        assertTrue(text.contains("ExecStart=/opt/kjadm/bin/kjadm prune\n"), text);
        assertTrue(text.contains("EnvironmentFile=-/etc/kjadm/"), text);
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
        assertTrue(text.contains("\"--label=a=b\\x0aUser=nobody\"\n"), text);
    }

    @Test
    void theServiceWritesToItsFoldersAlone() {
        String text = service(List.of("save"), Path.of("/var/backups/my etcd"), Path.of("/m"));
        assertTrue(text.contains("\nProtectSystem=strict\n"), text);
        assertTrue(text.contains("\nReadWritePaths=-/m\n"), text);
        assertTrue(text.contains("\nReadWritePaths=-\"/var/backups/my etcd\"\n"), text);
        assertTrue(
                text.contains("\nExecStartPre=+/bin/mkdir -p -m 0755 \"/var/backups/my etcd\"\n"),
                text);
        assertTrue(text.contains("\nNoNewPrivileges=yes\n"), text);
        assertTrue(text.contains("\nPrivateTmp=yes\n"), text);
    }

    @Test
    void theMachinesTmpStaysVisibleWhereItIsNamed() {
        String text = service(List.of("save", "--work-dir=/var/tmp"), Path.of("/var/tmp"));
        assertFalse(text.contains("PrivateTmp"), text);
    }
}
