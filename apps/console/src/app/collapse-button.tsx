import { Tooltip } from '@mantine/core';
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import classes from './navigation.module.css';

/** Collapses the navigation to its icons, and expands it. */
export function CollapseButton({ isCollapsed, onToggle }: { isCollapsed: boolean; onToggle: () => void }) {
  const Icon = isCollapsed ? PanelLeftOpen : PanelLeftClose;
  return (
    <Tooltip
      label="Expand navigation"
      position="right"
      disabled={!isCollapsed}
      events={{ hover: true, focus: true, touch: false }}
    >
      <button
        type="button"
        className={classes.toggle}
        aria-expanded={!isCollapsed}
        aria-label={isCollapsed ? 'Expand navigation' : 'Collapse navigation'}
        onClick={onToggle}
      >
        <Icon size={18} aria-hidden />
        {!isCollapsed && <span>Collapse</span>}
      </button>
    </Tooltip>
  );
}
