import { Braces, CircleHelp, GitFork, Globe, type LucideIcon, UserRound, Zap } from 'lucide-react';

/** Icons by category; a category that this console does not know gets the last one. */
const ICONS: Readonly<Record<string, LucideIcon>> = {
  trigger: Zap,
  flow: GitFork,
  data: Braces,
  action: Globe,
  person: UserRound,
};

/** Returns the icon of a category of node types. */
export function categoryIcon(category: string): LucideIcon {
  return ICONS[category] ?? CircleHelp;
}
