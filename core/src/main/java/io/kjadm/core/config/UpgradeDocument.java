package io.kjadm.core.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * UpgradeConfiguration: checked, completed and written. No command uses its content, so it stays a
 * tree.
 */
final class UpgradeDocument {

    private UpgradeDocument() {}

    /** The completed tree of a checked document. */
    static Map<String, Object> complete(Document document, FieldErrors errors) {
        TreeView view = TreeView.of(document, errors);
        TreeWriter tree = TreeWriter.document(Document.UPGRADE);
        for (String section : List.of("apply", "node")) {
            TreeView given = view.object(section);
            check(given);
            Map<String, Object> all = new LinkedHashMap<>(given.tree());
            all.putIfAbsent("certificateRenewal", true);
            all.putIfAbsent("etcdUpgrade", true);
            all.putIfAbsent("imagePullPolicy", ImagePullPolicy.IF_NOT_PRESENT.text());
            all.putIfAbsent("imagePullSerial", true);
            tree.always(section, all);
        }
        Map<String, Object> plan = new LinkedHashMap<>(view.object("plan").tree());
        plan.putIfAbsent("etcdUpgrade", true);
        return tree.always("plan", plan)
                .always("diff", view.object("diff").tree())
                .always(
                        "timeouts",
                        ConfigurationTrees.timeouts(CommonReader.timeouts(view.object("timeouts"))))
                .tree();
    }

    private static void check(TreeView section) {
        String policy = section.textOr("imagePullPolicy", "IfNotPresent");
        if (ImagePullPolicy.of(policy).isEmpty()) {
            section.invalid("imagePullPolicy", policy, "must be Always, IfNotPresent or Never");
        }
        String directory = section.object("patches").textOr("directory", "");
        if (section.has("patches") && !directory.startsWith("/")) {
            section.invalid("patches.directory", directory, "must be an absolute path");
        }
    }
}
