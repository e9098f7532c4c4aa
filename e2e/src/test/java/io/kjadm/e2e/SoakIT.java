package io.kjadm.e2e;

import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * Random commands and faults, one after another, on nodes whose etcd serves clients: {@code e2e/soak}
 * runs it. Pieces by hand and in automatic mode take turns. Each has nodes of its own, so that a run
 * may end at any time and another one go on.
 */
@NeedsLab
@Tag("long")
final class SoakIT {

    private static final Duration LENGTH =
            Duration.parse(System.getProperty("kjadm.soak", "PT10M"));
    /** The members' logs are kept for longer than that. */
    private static final Duration PIECE = Duration.ofMinutes(10);

    @TempDir
    Path folder;

    @Test
    void randomCommandsAndFaults() throws IOException {
        var end = Instant.now().plus(LENGTH);
        long seed = Long.getLong("kjadm.soak.seed", Instant.now().getEpochSecond());
        do {
            var left = Duration.between(Instant.now(), end);
            var length = left.compareTo(PIECE) < 0 ? left : PIECE;
            try (var lab = Lab.withNodes(4)) {
                var piece = seed % 2 == 0
                        ? new SoakByHand(lab, folder, seed)
                        : new SoakAutomatic(lab, folder, seed);
                piece.play(length);
            }
            seed++;
        } while (Instant.now().isBefore(end));
    }
}
