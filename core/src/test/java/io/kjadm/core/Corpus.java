package io.kjadm.core;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/** What the real kubeadm renders, in a folder beside the repository that not everybody has. */
public final class Corpus {

    private static final Path FOLDER = Path.of("../../shared/corpus");

    private Corpus() {}

    /** The folder; without it the test is skipped, and says so. */
    public static Path folder() {
        boolean present = Files.isDirectory(FOLDER);
        if (!present) {
            System.out.println("skipped: ../shared/corpus is not there to compare with");
        }
        assumeTrue(present, "../shared/corpus is not there to compare with");
        return FOLDER;
    }
}
