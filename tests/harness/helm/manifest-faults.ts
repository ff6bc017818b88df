import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { ScaledObject, TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Secret, Service, ServiceAccount } from 'kubernetes-models/v1';
import type { Manifest } from './render-chart.ts';

/** The kinds that charts here use. Each checks `this` by the schema of its kind. */
const KINDS = [
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  NetworkPolicy,
  PodDisruptionBudget,
  PodMonitor,
  ScaledObject,
  Secret,
  Service,
  ServiceAccount,
  TriggerAuthentication,
];

/** Returns violations of a manifest against the schema of its kind, including unknown fields. */
export function manifestFaults(manifest: Manifest): string[] {
  const kind = KINDS.find(({ apiVersion, kind }) => apiVersion === manifest.apiVersion && kind === manifest.kind);
  if (kind === undefined) return [`${manifest.apiVersion} ${manifest.kind} is not a kind that is known here`];
  const read = new Set<string>();
  try {
    kind.prototype.validate.call(watch(manifest, '', read));
  } catch (error) {
    return [String(error)];
  }
  return fieldsOf(manifest, '').filter((path) => !read.has(path));
}

/**
 * The schemas let unknown fields pass; a cluster drops them, so a misspelt one is silently without effect. But a check
 * reads every field that it knows, so what it never read is unknown.
 */
function watch<T extends object>(value: T, path: string, read: Set<string>): T {
  return new Proxy(value, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof name === 'symbol' || !Object.hasOwn(target, name)) return member;
      read.add(`${path}/${name}`);
      return typeof member === 'object' && member !== null ? watch(member, `${path}/${name}`, read) : member;
    },
  });
}

function fieldsOf(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [`${path}/${name}`, ...fieldsOf(member, `${path}/${name}`)]);
}
