/** A run that could continue if there is a free slot. */
export interface Applicant {
  readonly id: string;
  readonly workspaceId: string;
  readonly workflowId: string;
}

/** A run that a worker wants to claim. */
export interface Candidate extends Applicant {
  readonly dispatch: number;
  /** The token of the claim. */
  readonly token: string;
  /** Whether this claim owns the run already and is repeated because its response was lost. */
  readonly isHeld: boolean;
}

/** A run that is held back. */
export interface HeldBack extends Applicant {
  /** Whether its job is on the way to a worker. */
  readonly isDispatched: boolean;
}

/** Number of free slots of a workspace or workflow, by its id; null means no limit. */
export type FreeSlots = ReadonlyMap<string, number | null>;

/** The result for the runs. */
export interface Admission {
  /** Runs that the worker may claim. */
  readonly claim: readonly Candidate[];
  /** Runs that have to wait until others end. */
  readonly holdBack: readonly Candidate[];
  /** Runs that were held back and are now to be dispatched to a worker. */
  readonly dispatch: readonly HeldBack[];
}

/**
 * Assigns the free slots of workspaces and workflows to runs, the oldest first: ids are in the order of time. A run
 * that was held back keeps its position while its job is on the way, so that no younger run overtakes it. A run whose
 * workflow is at its limit does not block other workflows.
 */
export function admit(candidates: readonly Candidate[], heldBack: readonly HeldBack[], slots: FreeSlots): Admission {
  const free = new Map([...slots].map(([id, count]) => [id, count ?? Infinity]));
  const asked = new Set(candidates.map(({ id }) => id));
  const claim = candidates.filter(({ isHeld }) => isHeld);
  const holdBack: Candidate[] = [];
  const dispatch: HeldBack[] = [];
  const queue: (Candidate | HeldBack)[] = [
    ...candidates.filter(({ isHeld }) => !isHeld),
    ...heldBack.filter(({ id }) => !asked.has(id)),
  ];
  for (const run of queue.sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const isAdmitted = take(free, run);
    if ('isHeld' in run) (isAdmitted ? claim : holdBack).push(run);
    else if (isAdmitted && !run.isDispatched) dispatch.push(run);
  }
  return { claim, holdBack, dispatch };
}

function take(free: Map<string, number>, { workspaceId, workflowId }: Applicant): boolean {
  const [ofWorkspace, ofWorkflow] = [free.get(workspaceId) ?? Infinity, free.get(workflowId) ?? Infinity];
  if (ofWorkspace < 1 || ofWorkflow < 1) return false;
  free.set(workspaceId, ofWorkspace - 1);
  free.set(workflowId, ofWorkflow - 1);
  return true;
}
