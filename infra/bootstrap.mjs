// The way from a bare checkout to a running command. Nothing is installed yet, so it uses Node's own modules only:
//   infra/with-node node infra/bootstrap.mjs <command> [arguments]
// Each preparation is skipped while nothing that it depends on has changed (stamps in .deckhand/).
import { audit } from './bootstrap/audit.mjs';
import { sbom } from './bootstrap/sbom.mjs';
import { build, bundle, checks, generate, install, pack } from './bootstrap/preparations.mjs';
import { StepError } from './bootstrap/step.mjs';

/** What tests need. */
const TESTED = [install, generate, together(bundle, lead('../local/src/test/programs.ts', 'installPrograms'))];

const COMMANDS = {
  generate: [install, generate],
  build: [install, generate, build, bundle, pack],
  pack: [install, generate, pack],
  start: [install, together(inOrder(generate, pack), bundle), lead('../local/src/start.ts')],
  test: [...TESTED, async (args) => lead('../local/src/test.ts')(args, await checkUnlessChosen(args))],
  'test:full': [...TESTED, async (args) => lead('../local/src/test.ts', 'full')(args, await checkUnlessChosen(args))],
  verify: [install, generate, async () => ((await checks()).failed > 0 ? 1 : 0)],
  audit: [audit],
  sbom: [sbom],
  bench: [install, generate, bundle, lead('../../bench/src/main.ts')],
};

/** Checks the code unless arguments choose tests. They come first: beside them, tests would wait for the CPU. */
async function checkUnlessChosen(args) {
  if (args.length > 0) return { passed: 0, failed: 0 };
  const [{ passed, failed }, auditFailed] = [await checks(), await audit([])];
  return { passed, failed: failed + auditFailed };
}

/** Runs a function of a module in this process, with the arguments; resolves with its exit code. */
function lead(path, name = 'main') {
  return async (...args) => {
    const module = await import(new URL(path, new URL('./bootstrap/', import.meta.url)).href);
    return module[name](...args);
  };
}

/** Steps of which each needs the one before. */
function inOrder(...steps) {
  return async (args) => {
    for (const step of steps) await step(args);
  };
}

/** Steps that need nothing of each other, at the same time. What one of them throws is thrown once all have ended. */
function together(...steps) {
  return async (args) => {
    const ends = await Promise.allSettled(steps.map((step) => step(args)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return Math.max(...ends.map(({ value }) => value ?? 0));
  };
}

async function run([command, ...args]) {
  const steps = COMMANDS[command];
  if (steps === undefined) {
    console.error(`Unknown command ${command ?? ''}: use one of ${Object.keys(COMMANDS).join(', ')}.`);
    return 1;
  }
  let worst = 0;
  for (const step of steps) worst = Math.max(worst, (await step(args)) ?? 0);
  return worst;
}

try {
  // A start that was interrupted may have left timers behind.
  process.exit(await run(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof StepError ? error.message : error);
  process.exitCode = 1;
}
