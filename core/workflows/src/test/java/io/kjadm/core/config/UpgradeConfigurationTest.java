package io.kjadm.core.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.config.UpgradeConfiguration.Apply;
import io.kjadm.core.config.UpgradeConfiguration.NodeUpgrade;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.net.FakeHost;
import io.kjadm.core.value.ImagePullPolicy;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

class UpgradeConfigurationTest {

    private static final String HEAD =
            "apiVersion: kubeadm.k8s.io/v1beta4\nkind: UpgradeConfiguration\n";

    private final List<String> warnings = new ArrayList<>();

    private ConfigurationLoader loader() {
        return new ConfigurationLoader(new FakeHost(), warnings::add);
    }

    private UpgradeConfiguration file(String text, CommandFlags flags) {
        return loader().upgrade(
                        Optional.of(ConfigurationFile.of("f", HEAD + text)),
                        flags,
                        Optional.empty());
    }

    private UpgradeConfiguration file(String text) {
        return file(text, CommandFlags.none());
    }

    private UpgradeConfiguration flags(CommandFlags flags) {
        return loader().upgrade(Optional.empty(), flags, Optional.empty());
    }

    @Test
    void nothingGivenIsTheDefaults() {
        assertEquals(UpgradeConfiguration.defaults(), flags(CommandFlags.none()));
        assertEquals(UpgradeConfiguration.defaults(), file(""));
        assertEquals(ConfigurationYaml.printUpgradeDefaults(), ConfigurationYaml.upgrade(file("")));
        NodeUpgrade node = UpgradeConfiguration.defaults().node();
        assertTrue(node.scope().certificateRenewal());
        assertTrue(node.scope().etcdUpgrade());
        assertEquals(ImagePullPolicy.IF_NOT_PRESENT, node.images().policy());
        assertTrue(node.images().serial());
        assertEquals(3, UpgradeConfiguration.defaults().diff().contextLines());
    }

    @Test
    void everySectionOfAFileIsRead() {
        UpgradeConfiguration upgrade = file("""
                apply:
                  kubernetesVersion: v1.36.2
                  allowExperimentalUpgrades: true
                  certificateRenewal: false
                  forceUpgrade: true
                  printConfig: true
                  imagePullPolicy: Never
                  imagePullSerial: false
                  ignorePreflightErrors: [Swap]
                  patches: {directory: /a}
                node: {etcdUpgrade: false, dryRun: true, skipPhases: [addon], patches: {directory: /n}}
                plan: {kubernetesVersion: v1.36.1, allowRCUpgrades: true, etcdUpgrade: false, printConfig: true}
                diff: {kubernetesVersion: v1.36.0, contextLines: 0}
                timeouts: {upgradeManifests: 7m}
                """);
        Apply apply = upgrade.apply();
        assertEquals("v1.36.2", apply.requiredVersion());
        assertTrue(apply.target().experimental());
        assertFalse(apply.target().releaseCandidate());
        assertTrue(apply.force());
        assertTrue(apply.printConfig());
        assertFalse(apply.interactive());
        assertFalse(apply.node().scope().certificateRenewal());
        assertEquals(ImagePullPolicy.NEVER, apply.node().images().policy());
        assertFalse(apply.node().images().serial());
        assertEquals(List.of("swap"), apply.node().ignorePreflightErrors());
        assertEquals(Optional.of(Path.of("/a")), apply.node().patchesDirectory());
        NodeUpgrade node = upgrade.node();
        assertFalse(node.scope().etcdUpgrade());
        assertTrue(node.dryRun());
        assertEquals(List.of("addon"), node.skipPhases());
        assertEquals(Optional.of(Path.of("/n")), node.patchesDirectory());
        assertEquals(Optional.of("v1.36.1"), upgrade.plan().target().version());
        assertTrue(upgrade.plan().target().releaseCandidate());
        assertFalse(upgrade.plan().etcdUpgrade());
        assertTrue(upgrade.plan().printConfig());
        assertEquals(Optional.of("v1.36.0"), upgrade.diff().version());
        assertEquals(0, upgrade.diff().contextLines());
        assertEquals(Duration.ofMinutes(7), upgrade.timeouts().upgradeManifests());
    }

    @Test
    void whatWasReadIsWrittenAsItWas() {
        UpgradeConfiguration upgrade = file("""
                apply: {kubernetesVersion: v1.36.2, allowRCUpgrades: true, skipPhases: [addon], patches: {directory: /a}}
                node: {certificateRenewal: false, imagePullPolicy: Always}
                plan: {allowExperimentalUpgrades: true}
                diff: {contextLines: 5}
                """);
        String text = ConfigurationYaml.upgrade(upgrade);
        assertEquals(
                upgrade,
                loader().upgrade(
                                Optional.of(ConfigurationFile.of("f", text)),
                                CommandFlags.none(),
                                Optional.empty()));
    }

    @Test
    void flagsReachEverySectionThatHasThem() {
        UpgradeConfiguration upgrade = flags(CommandFlags.none()
                .with(Flag.ALLOW_EXPERIMENTAL_UPGRADES, "true")
                .with(Flag.ALLOW_RELEASE_CANDIDATE_UPGRADES, "true")
                .with(Flag.CERTIFICATE_RENEWAL, "false")
                .with(Flag.ETCD_UPGRADE, "false")
                .with(Flag.CONTEXT_LINES, "7")
                .with(Flag.FORCE, "true")
                .with(Flag.PATCHES, "/p")
                .with(Flag.PRINT_CONFIG, "true")
                .with(Flag.RESTART_KUBELET, "true")
                .with(Flag.ETCD_PATCH_WAIT, "30m")
                .with(Flag.ADOPT_CHANGES, "true"));
        assertTrue(upgrade.apply().target().experimental());
        assertTrue(upgrade.plan().target().releaseCandidate());
        assertTrue(upgrade.apply().force());
        assertTrue(upgrade.apply().printConfig());
        assertTrue(upgrade.plan().printConfig());
        assertFalse(upgrade.plan().etcdUpgrade());
        assertEquals(7, upgrade.diff().contextLines());
        for (NodeUpgrade node : List.of(upgrade.apply().node(), upgrade.node())) {
            assertFalse(node.scope().certificateRenewal());
            assertFalse(node.scope().etcdUpgrade());
            assertTrue(node.scope().restartKubelet());
            assertTrue(node.scope().adoptChanges());
            assertEquals(Duration.ofMinutes(30), node.scope().etcdPatchWait());
            assertEquals(Optional.of(Path.of("/p")), node.patchesDirectory());
        }
    }

    @Test
    void theArgumentCountsMoreThanTheFile() {
        UpgradeConfiguration upgrade = loader().upgrade(
                        Optional.of(ConfigurationFile.of(
                                "f",
                                HEAD
                                        + "apply: {kubernetesVersion: v1.36.1}\nplan: {kubernetesVersion: v1.36.1}\n"
                                        + "diff: {kubernetesVersion: v1.36.1}\n")),
                        CommandFlags.none(),
                        Optional.of("v1.36.2"));
        assertEquals("v1.36.2", upgrade.apply().requiredVersion());
        assertEquals(Optional.of("v1.36.2"), upgrade.plan().target().version());
        assertEquals(Optional.of("v1.36.2"), upgrade.diff().version());
    }

    @Test
    void applyWantsAVersion() {
        UsageException missing = assertThrows(
                UsageException.class, () -> flags(CommandFlags.none()).apply().requiredVersion());
        assertEquals("the version to upgrade to is missing", missing.what());
    }

    @Test
    void whatStandsBesideAFileOverridesItOrJoinsIt() {
        UpgradeConfiguration upgrade = file(
                "apply: {ignorePreflightErrors: [Swap], skipPhases: [addon, preflight]}\nnode: {dryRun: true}\n",
                CommandFlags.none()
                        .with(Flag.CONFIG, "f")
                        .with(Flag.IGNORE_PREFLIGHT_ERRORS, "NumCPU,swap")
                        .with(Flag.SKIP_PHASES, "post-upgrade")
                        .with(Flag.DRY_RUN, "false")
                        .with(Flag.RESTART_KUBELET, "true")
                        .with(Flag.YES, "true"));
        assertEquals(List.of("numcpu", "swap"), upgrade.apply().node().ignorePreflightErrors());
        assertEquals(List.of("numcpu", "swap"), upgrade.plan().ignorePreflightErrors());
        assertEquals(List.of("post-upgrade"), upgrade.apply().node().skipPhases());
        assertFalse(upgrade.node().dryRun());
        assertTrue(upgrade.node().scope().restartKubelet());
        assertFalse(upgrade.apply().interactive());
    }

    @ParameterizedTest
    @ValueSource(strings = {"30", "soon", "-1m"})
    void aWaitThatIsNoDurationIsRefused(String wait) {
        UsageException refused = assertThrows(
                UsageException.class,
                () -> file("", CommandFlags.none().with(Flag.ETCD_PATCH_WAIT, wait)));
        assertEquals(Set.of("--etcd-patch-wait"), Named.flags(refused.what()), refused.what());
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.INCLUDE,
            names = {
                "ALLOW_EXPERIMENTAL_UPGRADES",
                "ALLOW_RELEASE_CANDIDATE_UPGRADES",
                "CERTIFICATE_RENEWAL",
                "CONTEXT_LINES",
                "ETCD_UPGRADE",
                "FORCE",
                "PATCHES",
                "PRINT_CONFIG"
            })
    void whatAFileSaysTooIsRefusedBesideIt(Flag flag) {
        UsageException refused = assertThrows(
                UsageException.class, () -> file("", CommandFlags.none().with(flag, "1")));
        assertEquals("flags cannot be mixed with --config: --" + flag, refused.what());
    }

    @Test
    void aSinglePhaseTakesThemAndTheyWin() {
        UpgradeConfiguration upgrade = loader().upgradePhase(
                        Optional.of(ConfigurationFile.of(
                                "f",
                                HEAD + "node: {etcdUpgrade: false, patches: {directory: /f}}\n")),
                        CommandFlags.none()
                                .with(Flag.ETCD_UPGRADE, "true")
                                .with(Flag.PATCHES, "/p"),
                        Optional.empty());
        assertTrue(upgrade.node().scope().etcdUpgrade());
        assertEquals(Optional.of(Path.of("/p")), upgrade.node().patchesDirectory());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "apply: {patches: {directory: x}} | apply.patches.directory",
                "node: {patches: {}} | node.patches.directory",
                "node: {imagePullPolicy: Sometimes} | node.imagePullPolicy",
                "diff: {contextLines: -1} | diff.contextLines",
                "apply: {ignorePreflightErrors: [all, Swap]} | all"
            })
    void wrongValuesAreRefused(String text, String named) {
        UsageException refused = assertThrows(UsageException.class, () -> file(text));
        assertTrue(refused.getMessage().contains(named), refused.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"-1", "x", "1e3", "99999999999"})
    void contextLinesAreANumber(String text) {
        UsageException refused = assertThrows(
                UsageException.class,
                () -> flags(CommandFlags.none().with(Flag.CONTEXT_LINES, text)));
        assertEquals(Set.of("--context-lines"), Named.flags(refused.what()), refused.what());
    }

    @Test
    void theClusterIsNotReconfigured() {
        UpgradeConfiguration upgrade = loader().upgrade(
                        Optional.of(
                                ConfigurationFile.of(
                                        "f",
                                        HEAD
                                                + "---\napiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n")),
                        CommandFlags.none(),
                        Optional.empty());
        assertEquals(UpgradeConfiguration.defaults(), upgrade);
        assertEquals(
                List.of("kubeadm.k8s.io/v1beta4 ClusterConfiguration in f is ignored here"),
                warnings);
    }

    @Test
    void aFileWithoutTheDocumentIsRefused() {
        assertThrows(
                UsageException.class,
                () -> loader().upgrade(
                                Optional.of(
                                        ConfigurationFile.of(
                                                "f",
                                                "apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n")),
                                CommandFlags.none(),
                                Optional.empty()));
    }

    @Test
    void nobodyIsAskedInADryRunOrWithYesOrForce() {
        assertTrue(flags(CommandFlags.none()).apply().interactive());
        for (Flag flag : List.of(Flag.DRY_RUN, Flag.YES, Flag.FORCE)) {
            assertFalse(flags(CommandFlags.none().with(flag, "true")).apply().interactive());
        }
    }
}
