import type { Manifest } from './render-chart.ts';

/*
 * What KEDA and the HorizontalPodAutoscaler that it makes do with a ScaledObject, without a cluster: the algorithm of
 * https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale with the defaults of its controller.
 */

/** How often the controller decides, in s. */
export const SYNC_SECONDS = 15;
/** Relative deviation from a target that changes nothing. */
const TOLERANCE = 0.1;
/** The controller's own behaviour where the ScaledObject says nothing: it may double, or add four Pods, every 15 s. */
const UP = { percent: 100, pods: 4, periodSeconds: 15 };
/** How long the highest of the recommendations counts before Pods are removed, in s, unless the ScaledObject says. */
const DEFAULT_DOWN_WINDOW = 300;

/** A ScaledObject, as far as it decides the number of Pods. */
export interface ScaledObject extends Manifest {
  readonly spec: {
    readonly minReplicaCount: number;
    readonly maxReplicaCount: number;
    readonly advanced?: {
      readonly horizontalPodAutoscalerConfig?: {
        readonly behavior?: { readonly scaleDown?: { readonly stabilizationWindowSeconds?: number } };
      };
    };
    readonly triggers: readonly { readonly type: string; readonly metadata: Readonly<Record<string, string>> }[];
  };
}

/** What triggers measure, each for the whole deployment. */
export interface Load {
  /** Jobs that wait. */
  readonly waitingJobs: number;
  /** Runs that workers hold. */
  readonly heldRuns: number;
  /** CPU of all Pods, in cores. */
  readonly cpu: number;
  /** Pods, and how many of them are ready. */
  readonly pods: number;
  readonly readyPods: number;
}

/** Decides the number of Pods, from sync to sync. */
export interface Autoscaler {
  /** Decides at a time in s. */
  decide(atSeconds: number, load: Load): number;
}

/** Creates the autoscaler of a ScaledObject. @param options.cpuRequest of a Pod, in cores. */
export function createAutoscaler({ spec }: ScaledObject, { cpuRequest }: { readonly cpuRequest: number }): Autoscaler {
  const { minReplicaCount: min, maxReplicaCount: max, triggers } = spec;
  const downWindow =
    spec.advanced?.horizontalPodAutoscalerConfig?.behavior?.scaleDown?.stabilizationWindowSeconds ??
    DEFAULT_DOWN_WINDOW;
  let recommendations: { readonly at: number; readonly pods: number }[] = [];
  /** Changes of the number of Pods upwards within the period of the policies. */
  let added: { readonly at: number; readonly pods: number }[] = [];

  function byTrigger({ type, metadata }: ScaledObject['spec']['triggers'][number], load: Load): number {
    switch (type) {
      case 'redis':
      case 'redis-sentinel':
      case 'redis-cluster':
        return byAverage(load.waitingJobs, Number(metadata.listLength), load.pods);
      case 'postgresql':
        return byAverage(load.heldRuns, Number(metadata.targetQueryValue), load.pods);
      case 'cpu':
        return byUtilization(load, Number(metadata.value) / 100, cpuRequest);
      default:
        throw new Error(`no formula for the trigger ${type}`);
    }
  }

  return {
    decide(at, load) {
      const wanted = Math.min(Math.max(...triggers.map((trigger) => byTrigger(trigger, load)), min), max);
      recommendations = [...recommendations.filter((one) => at - one.at < downWindow), { at, pods: wanted }];
      const highest = Math.max(...recommendations.map(({ pods }) => pods));
      const stable = Math.max(wanted, Math.min(load.pods, highest));
      if (stable <= load.pods) return stable;
      added = added.filter((one) => at - one.at < UP.periodSeconds);
      const atStart = load.pods - added.reduce((sum, { pods }) => sum + pods, 0);
      const allowed = Math.max(Math.ceil(atStart * (1 + UP.percent / 100)), atStart + UP.pods);
      const next = Math.max(load.pods, Math.min(stable, allowed));
      if (next > load.pods) added.push({ at, pods: next - load.pods });
      return next;
    },
  };
}

/** Of a metric of the whole deployment with an average per Pod as its target. */
function byAverage(value: number, target: number, pods: number): number {
  return isWithinTolerance(value / (target * pods)) ? pods : Math.ceil(value / target);
}

/** Of the CPU of Pods; those that are not ready count as idle where Pods would be added. */
function byUtilization({ cpu, pods, readyPods }: Load, target: number, request: number): number {
  const usage = cpu / request / target;
  const ratio = usage / Math.max(readyPods, 1);
  if (isWithinTolerance(ratio)) return pods;
  if (ratio < 1 || readyPods === pods) return Math.ceil(usage);
  const careful = usage / pods;
  return careful < 1 || isWithinTolerance(careful) ? pods : Math.ceil(usage);
}

function isWithinTolerance(ratio: number): boolean {
  return Math.abs(1 - ratio) <= TOLERANCE;
}
