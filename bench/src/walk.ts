import { parseOwnJson } from '@deckhand/contracts';
import { FOUR_NODES, FOUR_NODES_BODY, saveWorkflow } from './workflows.ts';
import { waitForRuns } from './runs.ts';
import { post, type Stack } from './stack.ts';

/** Runs before the measurement, so that versions are compiled and caches filled. */
const WARM_UP = 20;
/** What each of so many runs calls is what a run passes. Maintenance happens in some of them, but not in all. */
const MEASURED = 40;

/** Functions and files of this repository that one process calls for a run. */
export interface Walk {
  readonly process: string;
  /** Paths from the root of the repository. */
  readonly files: readonly string[];
  /** `path name:offset` of each. */
  readonly functions: readonly string[];
}

/**
 * Lists what a run of four pure nodes calls from POST to its last checkpoint, in the API and in the worker, by V8's
 * precise coverage. @param ports those of the inspectors of both processes.
 */
export async function walk(stack: Stack, ports: { readonly api: number; readonly worker: number }): Promise<Walk[]> {
  const workflowId = await saveWorkflow(stack, 'walk', FOUR_NODES);
  const run = async (): Promise<void> => {
    const path = `/api/workflows/${workflowId}/execute`;
    await post(stack.url, path, parseOwnJson<object>(FOUR_NODES_BODY), { 'x-api-key': stack.apiKey });
    await waitForRuns(stack, workflowId);
  };
  for (let count = 0; count < WARM_UP; count += 1) await run();
  const inspectors = await Promise.all(Object.entries(ports).map(([name, port]) => inspect(name, port)));
  const calls: ReadonlyMap<string, Set<string>[]> = new Map(inspectors.map(({ name }) => [name, []]));
  for (let count = 0; count < MEASURED; count += 1) {
    await Promise.all(inspectors.map((inspector) => inspector.takeCalls()));
    await run();
    for (const inspector of inspectors) calls.get(inspector.name)?.push(await inspector.takeCalls());
  }
  for (const inspector of inspectors) inspector.close();
  return inspectors.map(({ name }) => {
    const [first = new Set<string>(), ...others] = calls.get(name) ?? [];
    const functions = [...first].filter((call) => others.every((other) => other.has(call))).sort();
    return { process: name, files: [...new Set(functions.map((call) => call.split(' ')[0] ?? ''))], functions };
  });
}

/** A function's calls since they were last taken. */
interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

interface CoverageResult {
  readonly result?: readonly ScriptCoverage[];
}

interface InspectorResponse {
  readonly id?: number;
  readonly error?: { readonly message: string };
  readonly result?: CoverageResult;
}

/** Connects to a process's inspector, and begins to count calls. */
async function inspect(name: string, port: number) {
  const list = await (await fetch(`http://127.0.0.1:${port}/json/list`)).text();
  const [target] = parseOwnJson<{ webSocketDebuggerUrl: string }[]>(list);
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  let lastId = 0;
  const send = (method: string, params: object = {}): Promise<CoverageResult> => {
    const id = (lastId += 1);
    return new Promise((resolve, reject) => {
      const take = ({ data }: MessageEvent): void => {
        const response = parseOwnJson<InspectorResponse>(String(data));
        if (response.id !== id) return;
        socket.removeEventListener('message', take);
        if (response.error) reject(new Error(`${method}: ${response.error.message}`));
        else resolve(response.result ?? {});
      };
      socket.addEventListener('message', take);
      socket.send(JSON.stringify({ id, method, params }));
    });
  };
  await send('Profiler.enable');
  await send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    name,
    /** The functions of this repository that were called since the last time. */
    async takeCalls(): Promise<Set<string>> {
      const { result = [] } = await send('Profiler.takePreciseCoverage');
      const own = result.filter(
        ({ url }) => /\/(apps|packages)\/[^/]+\/src\//.test(url) && !url.includes('node_modules'),
      );
      const calls = own.flatMap(({ url, functions }) =>
        functions
          .filter(({ functionName, ranges }) => functionName !== '' || ranges[0]?.startOffset !== 0)
          .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
          .map(({ functionName, ranges }) => `${pathOf(url)} ${functionName}:${ranges[0]?.startOffset}`),
      );
      return new Set(calls);
    },
    close: () => socket.close(),
  };
}

/** Returns the path of a source file from the root of the repository. */
const pathOf = (url: string): string => /\/((apps|packages)\/[^/]+\/src\/.*)$/.exec(url)?.[1] ?? url;
