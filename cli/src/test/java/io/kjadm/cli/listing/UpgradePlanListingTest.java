package io.kjadm.cli.listing;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.console.ProgramName;
import io.kjadm.cli.output.OutputFormat;
import io.kjadm.core.upgrade.UpgradeFinding;
import io.kjadm.core.upgrade.UpgradeRule;
import io.kjadm.core.upgrade.plan.PlannedCommand;
import io.kjadm.core.upgrade.plan.UpgradeCandidate;
import io.kjadm.core.upgrade.plan.UpgradePlan;
import io.kjadm.core.upgrade.plan.UpgradePlan.Change;
import io.kjadm.core.upgrade.plan.UpgradePlan.Upgrade;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.Severity;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

class UpgradePlanListingTest {

    private static final UpgradeFinding WARNING = new UpgradeFinding(
            UpgradeRule.IMAGES,
            Severity.WARNING,
            new Problem("these images will be pulled: a", "", ""));
    private static final UpgradeFinding ERROR = new UpgradeFinding(
            UpgradeRule.CONTROL_PLANE_NODES_READY,
            Severity.SKIPPABLE,
            new Problem("some nodes are not ready: cp-2", "no kubelet", "start it"));

    private static UpgradePlan plan(List<UpgradeFinding> stopping) {
        return new UpgradePlan(
                KubernetesVersion.of("v1.35.6"),
                List.of(
                        upgrade("version in the v1.35 series", "v1.35.9"),
                        upgrade("stable version", "v1.36.2")),
                List.of(WARNING, ERROR),
                stopping,
                List.of(
                        new PlannedCommand(
                                "cp-1", "cp-1", "upgrade it", "kjadm upgrade apply v1.36.2"),
                        new PlannedCommand(
                                "cp-2",
                                "cp-1",
                                "allow pods on the node again",
                                "kubectl uncordon cp-2")));
    }

    private static Upgrade upgrade(String description, String version) {
        return new Upgrade(
                new UpgradeCandidate(description, KubernetesVersion.of(version)),
                List.of(
                        new Change("kubelet", "cp-1", "v1.35.6", version, true),
                        new Change("kube-apiserver", "cp-1", "v1.35.6", version, false),
                        new Change("kube-proxy", "", "1.35.6", version, false)));
    }

    @Test
    void thePlanIsTablesThenFindingsThenCommands() {
        assertEquals("""
                Components that must be upgraded manually after you have upgraded the control plane with 'kjadm upgrade apply':
                COMPONENT   NODE      CURRENT   TARGET
                kubelet     cp-1      v1.35.6   v1.35.9

                Upgrade to the latest version in the v1.35 series:

                COMPONENT        NODE      CURRENT   TARGET
                kube-apiserver   cp-1      v1.35.6   v1.35.9
                kube-proxy                 1.35.6    v1.35.9

                It was not checked. To check it, run:

                	kjadm upgrade plan v1.35.9

                _____________________________________________________________________

                Components that must be upgraded manually after you have upgraded the control plane with 'kjadm upgrade apply':
                COMPONENT   NODE      CURRENT   TARGET
                kubelet     cp-1      v1.35.6   v1.36.2

                Upgrade to the latest stable version:

                COMPONENT        NODE      CURRENT   TARGET
                kube-apiserver   cp-1      v1.35.6   v1.36.2
                kube-proxy                 1.35.6    v1.36.2

                This upgrade cannot start yet; see the problems below.

                _____________________________________________________________________

                API GROUP                 CURRENT VERSION   PREFERRED VERSION   MANUAL UPGRADE REQUIRED
                kubeproxy.config.k8s.io   v1alpha1          v1alpha1            no
                kubelet.config.k8s.io     v1beta1           v1beta1             no
                _____________________________________________________________________

                Findings for the upgrade to v1.36.2:
                	[ERROR ControlPlaneNodesReady]: some nodes are not ready: cp-2: no kubelet
                		Next: start it
                	[WARNING Images]: these images will be pulled: a

                Run these commands in this order; every node needs kjadm and the package repository of v1.36:

                node cp-1
                  on cp-1, upgrade it:
                	kjadm upgrade apply v1.36.2

                node cp-2
                  on cp-1, allow pods on the node again:
                	kubectl uncordon cp-2
                """, listing(plan(List.of(ERROR))).text());
    }

    @Test
    void whereNothingStopsTheCommandIsShown() {
        String text = listing(plan(List.of())).text();
        assertHasLine("You can now apply the upgrade by executing the following command:", text);
        assertHasLine("kjadm upgrade apply v1.36.2", text);
        assertHasLine(
                "[WARNING ControlPlaneNodesReady]: some nodes are not ready: cp-2: no kubelet",
                text);
    }

    @Test
    void aClusterWithTheNewestVersionIsToldSo() {
        UpgradePlanListing listing = listing(UpgradePlan.nothing(KubernetesVersion.of("v1.36.2")));
        assertEquals(
                "The cluster has v1.36.2; there is no newer version to upgrade to.\n",
                listing.text());
        assertEquals(List.of(), listing.object().get("availableUpgrades"));
    }

    @Test
    void theObjectIsThatOfKubeadmAndMore() {
        String json = new OutputFormat(true, Map.of())
                .writer("json")
                .orElseThrow()
                .write(List.of(listing(plan(List.of(ERROR))).object()));
        assertEquals("""
                {"kind":"UpgradePlan","apiVersion":"output.kubeadm.k8s.io/v1alpha3",\
                "availableUpgrades":[\
                {"description":"versioninthev1.35series","components":[\
                {"name":"kubelet","currentVersion":"v1.35.6","newVersion":"v1.35.9","nodeName":"cp-1"},\
                {"name":"kube-apiserver","currentVersion":"v1.35.6","newVersion":"v1.35.9","nodeName":"cp-1"},\
                {"name":"kube-proxy","currentVersion":"1.35.6","newVersion":"v1.35.9"}]},\
                {"description":"stableversion","components":[\
                {"name":"kubelet","currentVersion":"v1.35.6","newVersion":"v1.36.2","nodeName":"cp-1"},\
                {"name":"kube-apiserver","currentVersion":"v1.35.6","newVersion":"v1.36.2","nodeName":"cp-1"},\
                {"name":"kube-proxy","currentVersion":"1.35.6","newVersion":"v1.36.2"}]}],\
                "configVersions":[\
                {"group":"kubeproxy.config.k8s.io","currentVersion":"v1alpha1","preferredVersion":"v1alpha1","manualUpgradeRequired":false},\
                {"group":"kubelet.config.k8s.io","currentVersion":"v1beta1","preferredVersion":"v1beta1","manualUpgradeRequired":false}],\
                "clusterVersion":"v1.35.6","targetVersion":"v1.36.2","mayGoOn":false,\
                "findings":[\
                {"check":"Images","severity":"warning","stops":false,"what":"theseimageswillbepulled:a","why":"","next":""},\
                {"check":"ControlPlaneNodesReady","severity":"skippable","stops":true,"what":"somenodesarenotready:cp-2","why":"nokubelet","next":"startit"}],\
                "steps":[\
                {"node":"cp-1","on":"cp-1","purpose":"upgradeit","command":"kjadmupgradeapplyv1.36.2"},\
                {"node":"cp-2","on":"cp-1","purpose":"allowpodsonthenodeagain","command":"kubectluncordoncp-2"}]}""", json.replaceAll("\\s", ""));
    }

    @Test
    void theProgramStandsInTheTableByItsName() {
        Change program = new Change("kjadm", "", "v1.36.1", "v1.36.2", false);
        UpgradePlan plan = new UpgradePlan(
                KubernetesVersion.of("v1.36.1"),
                List.of(new Upgrade(
                        new UpgradeCandidate("stable version", KubernetesVersion.of("v1.36.2")),
                        List.of(program))),
                List.of(),
                List.of(),
                List.of());
        String row = "(?s).*\\n%s +v1.36.1 +v1.36.2\\n.*";
        assertTrue(
                listing(plan).text().matches(row.formatted("kjadm")),
                listing(plan).text());
        UpgradePlanListing listing = new UpgradePlanListing(plan, ProgramName.KUBEADM);
        assertTrue(listing.text().matches(row.formatted("kubeadm")), listing.text());
        assertEquals(
                List.of(Map.of(
                        "description",
                        "stable version",
                        "components",
                        List.of(Map.of(
                                "name",
                                "kubeadm",
                                "currentVersion",
                                "v1.36.1",
                                "newVersion",
                                "v1.36.2")))),
                listing.object().get("availableUpgrades"));
    }

    private static UpgradePlanListing listing(UpgradePlan plan) {
        return new UpgradePlanListing(plan, ProgramName.KJADM);
    }
}
