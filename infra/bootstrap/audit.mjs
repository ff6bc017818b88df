import { spawn } from 'node:child_process';
import { EXCEPTIONS } from './audit-exceptions.mjs';
import { ROOT } from './paths.mjs';
import { PNPM } from './preparations.mjs';

/** Severities that fail a build. */
const GRAVE = ['high', 'critical'];
/** Time limit of the registry, in ms. */
const TIMEOUT_MS = 60_000;

/**
 * Queries the registry for advisories on shipped packages, and lists the severe ones. If a registry has none (like many
 * mirrors), it reports that and continues. @param args `--registry=<URL>` uses another registry; others are for other
 * steps. @returns 1 when there is a severe one that infra/bootstrap/audit-exceptions.mjs does not list.
 */
export async function audit(args) {
  const registry = args.filter((arg) => arg.startsWith('--registry='));
  const { stdout, stderr } = await run('npx', ['--yes', PNPM, 'audit', '--prod', '--json', ...registry]);
  const advisories = readAdvisories(stdout);
  if (advisories === undefined) {
    const reason = `${stdout}\n${stderr}`.split('\n').find((line) => /ERR_|error/i.test(line)) ?? 'it gave no answer';
    console.log(`- Audit of dependencies skipped: the registry did not tell (${reason.trim()})`);
    return 0;
  }
  const argued = new Set(EXCEPTIONS.map(({ id }) => id));
  const grave = advisories.filter(({ id, severity }) => GRAVE.includes(severity) && !argued.has(id));
  for (const { id, severity, name, title, url } of grave)
    console.error(`✖ ${severity}: ${name}: ${title} (${id}, ${url})`);
  if (grave.length > 0) return 1;
  console.log(`✔ Audit dependencies (${advisories.length} advisories, none of them grave)`);
  return 0;
}

/** Returns the advisories of pnpm's report; undefined if the text is not a report. */
function readAdvisories(text) {
  try {
    const { advisories } = JSON.parse(text);
    return Object.values(advisories).map((advisory) => ({
      id: advisory.github_advisory_id ?? String(advisory.id),
      severity: advisory.severity,
      name: advisory.module_name,
      title: advisory.title,
      url: advisory.url,
    }));
  } catch {
    return undefined;
  }
}

/** Runs a command until it exits, with any exit code. */
function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, timeout: TIMEOUT_MS, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (bytes) => (stdout += bytes));
    child.stderr.on('data', (bytes) => (stderr += bytes));
    child.once('error', (error) => resolve({ stdout, stderr: `error: ${error.message}` }));
    child.once('close', () => resolve({ stdout, stderr }));
  });
}
