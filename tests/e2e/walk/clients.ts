import fc from 'fast-check';
import { CHOICES, type WalkedWorkflow } from './workflows.ts';

/** The possible next steps of a client. */
export const ACTS = [
  'execute',
  'stop',
  'pause',
  'resume',
  'approve',
  'approveTwice',
  'contradict',
  'approveWrongly',
  'complete',
  'completeWrongly',
  'rerun',
  'read',
  'list',
] as const;
export type Act = (typeof ACTS)[number];

const WEIGHTS: Readonly<Record<Act, number>> = {
  execute: 12,
  stop: 3,
  pause: 9,
  resume: 14,
  approve: 14,
  approveTwice: 4,
  contradict: 4,
  approveWrongly: 2,
  complete: 10,
  completeWrongly: 2,
  rerun: 3,
  read: 8,
  list: 3,
};

/** A step of a client, drawn before the test: which run it uses depends on the runs at that time. */
export interface Step {
  readonly act: Act;
  readonly run: number;
  readonly workflow: number;
  readonly node: number;
  readonly replica: number;
  readonly choice: (typeof CHOICES)[number];
  readonly otherChoice: (typeof CHOICES)[number];
  readonly count: number;
}

const ANY_STEP: fc.Arbitrary<Step> = fc.record({
  act: fc.oneof(...ACTS.map((act) => ({ arbitrary: fc.constant(act), weight: WEIGHTS[act] }))),
  run: fc.nat(10_000),
  workflow: fc.nat(10_000),
  node: fc.nat(10_000),
  replica: fc.nat(1),
  choice: fc.constantFrom(...CHOICES),
  otherChoice: fc.constantFrom(...CHOICES),
  count: fc.nat(5),
});

/** The steps of one client: the same for the same seed. */
export function drawSteps(seed: number, count: number): Step[] {
  return fc.sample(ANY_STEP, { seed, numRuns: count });
}

/** A request and its response. Times are ms since the epoch. */
export interface Observation {
  readonly act: 'execute' | 'stop' | 'pause' | 'resume' | 'submit' | 'complete' | 'rerun' | 'read' | 'list';
  /** The run of the request; "" for execute. */
  readonly executionId: string;
  readonly nodeId: string;
  /** The decision, or the submitted count. */
  readonly answer: string;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A run that clients know of. */
interface KnownRun {
  readonly id: string;
  readonly workflow: WalkedWorkflow;
}

/** Clients choose among this many of the youngest runs. */
const YOUNGEST = 30;

/** Clients that act on the same runs, each step at one of the replicas. */
export interface Clients {
  readonly observations: readonly Observation[];
  take(step: Step): Promise<void>;
  /** Answers or resumes one run. */
  finish(executionId: string, workflow: WalkedWorkflow, turn: number): Promise<void>;
  read(executionId: string): Promise<Observation>;
}

export function createClients(options: {
  urls: readonly string[];
  key: string;
  workspaceId: string;
  workflows: readonly (WalkedWorkflow & { readonly id: string })[];
}): Clients {
  const { urls, key, workspaceId, workflows } = options;
  const observations: Observation[] = [];
  const known: KnownRun[] = [];

  async function ask(
    replica: number,
    about: Pick<Observation, 'act' | 'executionId'> & Partial<Observation>,
    path: string,
    body?: object,
  ): Promise<Observation> {
    const sentAt = Date.now();
    const answer = await fetch(`${urls[replica % urls.length]}/api/${path}`, {
      method: about.act === 'read' || about.act === 'list' ? 'GET' : 'POST',
      headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const json = (await answer.json()) as Observation['body'];
    const observation: Observation = {
      nodeId: '',
      answer: '',
      ...about,
      sentAt,
      answeredAt: Date.now(),
      status: answer.status,
      body: json,
    };
    observations.push(observation);
    return observation;
  }

  const onRun = (replica: number, act: 'stop' | 'pause' | 'resume' | 'rerun', executionId: string) =>
    ask(replica, { act, executionId }, `executions/${executionId}/${act}`);
  const read = (replica: number, executionId: string) =>
    ask(replica, { act: 'read', executionId }, `executions/${executionId}`);
  const submit = (replica: number, executionId: string, nodeId: string, decision: string) =>
    ask(replica, { act: 'submit', executionId, nodeId, answer: decision }, 'approvals/submit', {
      executionId,
      nodeId,
      decision,
    });
  const complete = (replica: number, executionId: string, nodeId: string, count: unknown) =>
    ask(
      replica,
      { act: 'complete', executionId, nodeId, answer: String(count) },
      `executions/${executionId}/nodes/${nodeId}/complete`,
      {
        data: { count },
      },
    );

  function learn({ status, body }: Observation, workflow: WalkedWorkflow): void {
    if (status === 202) known.push({ id: String(body.executionId), workflow });
  }

  /** The open approvals, from which clients learn of runs that other runs have started. */
  async function list(replica: number): Promise<void> {
    const path = `approvals?workspaceId=${workspaceId}&limit=20`;
    const { body } = await ask(replica, { act: 'list', executionId: '' }, path);
    for (const { id, workflowId } of body.data as { id: string; workflowId: string }[]) {
      const workflow = workflows.find((one) => one.id === workflowId);
      if (workflow && known.every((run) => run.id !== id)) known.push({ id, workflow });
    }
  }

  async function execute({ workflow, replica }: Step): Promise<void> {
    const chosen = workflows[workflow % workflows.length];
    if (chosen)
      learn(await ask(replica, { act: 'execute', executionId: '' }, `workflows/${chosen.id}/execute`), chosen);
  }

  return {
    observations,
    read: (executionId) => read(0, executionId),
    async take(step) {
      const run = known.at(-1 - (step.run % Math.min(Math.max(known.length, 1), YOUNGEST)));
      if (!run || step.act === 'execute') return execute(step);
      const { id, workflow } = run;
      const { replica, choice, otherChoice, count } = step;
      const approval = workflow.approvals[step.node % workflow.approvals.length] ?? 'start';
      const form = workflow.forms[0] ?? 'start';
      switch (step.act) {
        case 'stop':
        case 'pause':
        case 'resume':
          await onRun(replica, step.act, id);
          return;
        case 'approve':
          await submit(replica, id, approval, choice);
          return;
        case 'approveTwice':
          await Promise.all([submit(0, id, approval, choice), submit(1, id, approval, choice)]);
          return;
        case 'contradict':
          await Promise.all([submit(0, id, approval, choice), submit(1, id, approval, otherChoice)]);
          return;
        case 'approveWrongly':
          await submit(replica, id, approval, 'perhaps');
          return;
        case 'complete':
          await complete(replica, id, form, count);
          return;
        case 'completeWrongly':
          await complete(replica, id, form, 'many');
          return;
        case 'rerun':
          learn(await onRun(replica, 'rerun', id), workflow);
          return;
        case 'read':
          await read(replica, id);
          return;
        case 'list':
          await list(replica);
      }
    },
    async finish(id, { approvals, forms }, turn) {
      await onRun(turn, 'resume', id);
      for (const nodeId of approvals) await submit(turn, id, nodeId, 'approved');
      for (const nodeId of forms) await complete(turn, id, nodeId, 1);
    },
  };
}
