package io.kjadm.e2e.lab;

import static org.junit.platform.commons.support.AnnotationSupport.findAnnotation;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Decides whether a suite can run here, and says on what it runs. */
final class LabCondition implements ExecutionCondition, BeforeAllCallback {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        var absence = DockerEngine.absence();
        if (absence.isPresent()) {
            return ConditionEvaluationResult.disabled(absence.get());
        }
        if (needs(context).kubeadm() && !Components.kubeadmAtHand()) {
            return ConditionEvaluationResult.disabled(
                    "no kubeadm program in " + Components.kubeBinaries());
        }
        return ConditionEvaluationResult.enabled("docker is there");
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        System.out.printf(
                "[lab] %s runs on: %s%n",
                context.getDisplayName(),
                needs(context).sandbox() ? Components.SANDBOX : Components.atHand());
    }

    private static NeedsLab needs(ExtensionContext context) {
        return findAnnotation(context.getRequiredTestClass(), NeedsLab.class).orElseThrow();
    }
}
