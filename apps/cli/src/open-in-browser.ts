import { spawn } from 'node:child_process';

/** Opens an address in the browser. Where there is none, such as on a server, nothing happens. */
export async function openInBrowser(address: string): Promise<void> {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  if (command === undefined) return;
  // No shell: an address may contain characters that one would interpret.
  const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
  await new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('spawn', () => resolve());
  });
  child.unref();
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
