/**
 * Feature gates: {@link io.kjadm.core.feature.FeatureGate} lists them,
 * {@link io.kjadm.core.feature.FeatureGates} holds the choices made.
 */
package io.kjadm.core.feature;
