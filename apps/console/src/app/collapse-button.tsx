import { Tooltip } from '@mantine/core';
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { i18n } from '../language/i18n.ts';
import classes from './navigation.module.css';

/** Collapses the navigation to its icons, and expands it. */
export function CollapseButton({ isCollapsed, onToggle }: { isCollapsed: boolean; onToggle: () => void }) {
  const Icon = isCollapsed ? PanelLeftOpen : PanelLeftClose;
  return (
    <Tooltip
      label={i18n.t('Expand navigation')}
      position="right"
      disabled={!isCollapsed}
      events={{ hover: true, focus: true, touch: false }}
    >
      <button
        type="button"
        className={classes.toggle}
        aria-expanded={!isCollapsed}
        aria-label={isCollapsed ? i18n.t('Expand navigation') : i18n.t('Collapse navigation')}
        onClick={onToggle}
      >
        <Icon size={18} aria-hidden />
        {!isCollapsed && <span>{i18n.t('Collapse')}</span>}
      </button>
    </Tooltip>
  );
}
