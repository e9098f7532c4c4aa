package io.kjadm.core.config;

import io.kjadm.core.value.UnmountFlag;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads ResetConfiguration. */
final class ResetReader {

    private final TreeView view;
    private final Consumer<String> warnings;

    ResetReader(Document document, FieldErrors errors, Consumer<String> warnings) {
        this.view = TreeView.of(document, errors);
        this.warnings = warnings;
    }

    ResetConfiguration read() {
        return new ResetConfiguration(
                view.flag("cleanupTmpDir", false),
                view.absolutePath("certificatesDir"),
                CommonReader.criSocket(view, warnings),
                view.flag("dryRun", false),
                view.flag("force", false),
                false,
                view.texts("ignorePreflightErrors"),
                CommonReader.skipPhases(view),
                unmountFlags(),
                CommonReader.timeouts(view.object("timeouts")));
    }

    private List<UnmountFlag> unmountFlags() {
        List<String> texts = view.texts("unmountFlags");
        for (int i = 0; i < texts.size(); i++) {
            if (flag(texts.get(i)).isEmpty()) {
                view.invalid(
                        "unmountFlags",
                        "index " + i,
                        "unknown flag %s, known ones are %s"
                                .formatted(texts.get(i), Arrays.toString(UnmountFlag.values())));
            }
        }
        return texts.stream().map(ResetReader::flag).flatMap(Optional::stream).toList();
    }

    private static Optional<UnmountFlag> flag(String text) {
        return Arrays.stream(UnmountFlag.values())
                .filter(flag -> flag.name().equals(text))
                .findFirst();
    }
}
